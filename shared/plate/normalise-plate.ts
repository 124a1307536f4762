/**
 * The forms of a licence plate: as stored, and as compared. REST contract, "Allowed values".
 */

import { NO_PLATE_WORDS } from './no-plate-words.js';

/** The longest plate that a reading may hold; longer text is no plate. */
export const PLATE_LENGTH_MAX = 64;

const PLAIN = /^[A-Z0-9]*$/;
const FOREIGN_DIGIT = /(?![0-9])\p{Nd}/gu;
const NOT_LETTER_OR_DIGIT = /[^\p{L}\p{Nd}]+/gu;

/** What a decoder writes for bytes that are not of the character set. */
export const LOST_CHARACTER = '\ufffd';

/**
 * The colour of a Chinese plate, which Hikvision writes in front of it. It counts as one only before a province or the police's WJ,
 * because 黑 alone is also a province.
 */
const COLOUR_PREFIX = /^(?:黄绿|渐绿|蓝|黄|绿|白|黑)(?=\p{Script=Han}|WJ)/u;

const wordsOf = (isWritten: boolean): ReadonlySet<string> =>
  new Set(NO_PLATE_WORDS.flatMap(({ word, written = false }) => (written === isWritten ? word : [])));
const [COMPARED_WORDS, WRITTEN_WORDS] = [wordsOf(false), wordsOf(true)];

/**
 * The form in which plates are compared: NFKC, upper case, letters and digits only, the digits of every script as 0 to 9. Letters that look alike
 * stay distinct. Idempotent.
 */
export function normalisePlate(text: string): string {
  if (PLAIN.test(text)) return text;
  const compared = text.normalize('NFKC').toUpperCase().normalize('NFKC').replace(NOT_LETTER_OR_DIGIT, '');
  return compared.normalize('NFKC').replace(FOREIGN_DIGIT, plainDigit);
}

const DIGIT = /^\p{Nd}$/u;

/** Unicode has the ten digits of a script one after the other, and nothing of another kind between two scripts that adjoin. */
function plainDigit(digit: string): string {
  const code = digit.codePointAt(0) ?? 0;
  let first = code;
  while (DIGIT.test(String.fromCodePoint(first - 1))) first--;
  return String((code - first) % 10);
}

/**
 * The form in which a camera's text is stored: upper case, NFC, without the colour of a Chinese plate.
 * null when the text is no usable plate: empty, `unknown`, `noPlate`, `-` and the like.
 */
export function canonicalCameraPlate(raw: string): string | null {
  const plate = writtenPlate(raw);
  return plate === null || isNoPlateWord(plate) ? null : plate;
}

/** Whether a plate is a word that cameras write for a vehicle without one, or zeros only. @param plate as stored */
export function isNoPlateWord(plate: string): boolean {
  const compared = normalisePlate(plate);
  return COMPARED_WORDS.has(compared) || WRITTEN_WORDS.has(plate) || /^0+$/.test(compared);
}

/**
 * The same as `canonicalCameraPlate`, but a word for "no plate" is a plate: a member may have exactly that. null: there is no letter or digit
 * in it, it is too long, or characters of it were lost on the way, without which it might be another vehicle's.
 */
export function writtenPlate(raw: string): string | null {
  if (raw.includes(LOST_CHARACTER)) return null;
  const plate = raw.trim().toUpperCase().normalize('NFC').replace(COLOUR_PREFIX, '');
  if (plate.length > PLATE_LENGTH_MAX) return null;
  return normalisePlate(plate) === '' ? null : plate;
}

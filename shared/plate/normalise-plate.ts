/** The forms of a licence plate: the stored one, and the one for comparisons (REST contract, "Allowed values"). */

import { foldArabic } from './arabic-letters.js';
import { NO_PLATE_PARTS, NO_PLATE_WORDS } from './no-plate-words.js';

/** The maximum length of a reading's plate. Longer text is not a plate. */
export const PLATE_LENGTH_MAX = 64;

const PLAIN = /^[A-Z0-9]*$/;
const FOREIGN_DIGIT = /(?![0-9])\p{Nd}/gu;
const NOT_LETTER_OR_DIGIT = /[^\p{L}\p{Nd}]+/gu;

/** The character that a decoder writes for bytes that are invalid in their character set. */
export const LOST_CHARACTER = '\ufffd';

/**
 * The colour of a Chinese plate, which Hikvision writes in front of it. It counts as a colour only before a province or the WJ of the police,
 * because 黑 alone is also a province.
 */
const COLOUR_PREFIX = /^(?:黄绿|渐绿|蓝|黄|绿|白|黑)(?=\p{Script=Han}|WJ)/u;

const wordsOf = (isWritten: boolean): ReadonlySet<string> =>
  new Set(NO_PLATE_WORDS.flatMap(({ word, written = false }) => (written === isWritten ? word : [])));
const [COMPARED_WORDS, WRITTEN_WORDS] = [wordsOf(false), wordsOf(true)];

const { alone, denying, other } = NO_PLATE_PARTS;
const anyOf = (parts: readonly string[]) => `(?:${parts.join('|')})`;
/** A text of such parts only, and of more than one that denies. */
const NO_PLATE_TEXT = new RegExp(
  `^(?!${anyOf(denying)}$)(?=.*${anyOf([...alone, ...denying])})${anyOf([...alone, ...denying, ...other])}+$`,
  'u',
);

/**
 * Returns the form in which plates are compared: NFKC, upper case, letters and digits only, with the digits of every script converted to 0 to
 * 9, and each letter of the Arabic script in one form (`arabic-letters.ts`). Letters that look alike remain distinct. Idempotent.
 */
export function normalisePlate(text: string): string {
  if (PLAIN.test(text)) return text;
  const compared = text.normalize('NFKC').toUpperCase().normalize('NFKC').replace(NOT_LETTER_OR_DIGIT, '');
  return foldArabic(compared.normalize('NFKC')).replace(FOREIGN_DIGIT, plainDigit);
}

const DIGIT = /^\p{Nd}$/u;

/**
 * Converts a digit of any script. Unicode lists the ten digits of a script in order, and scripts with adjacent digits have no other
 * characters between them.
 */
function plainDigit(digit: string): string {
  const code = digit.codePointAt(0) ?? 0;
  let first = code;
  while (DIGIT.test(String.fromCodePoint(first - 1))) first--;
  return String((code - first) % 10);
}

/**
 * Returns the form in which a camera's text is stored: upper case, NFC, without the colour of a Chinese plate. Returns null when the text is
 * not a usable plate: empty, `unknown`, `noPlate`, `-` and the like.
 */
export function canonicalCameraPlate(raw: string): string | null {
  const plate = writtenPlate(raw);
  return plate === null || isNoPlateWord(plate) ? null : plate;
}

/**
 * Says whether a plate is a word that cameras write for a vehicle without a plate, is put together of nothing but such
 * words, or consists of zeros only.
 * @param plate in the stored form
 */
export function isNoPlateWord(plate: string): boolean {
  const compared = normalisePlate(plate);
  return (
    COMPARED_WORDS.has(compared) || WRITTEN_WORDS.has(plate) || NO_PLATE_TEXT.test(compared) || /^0+$/.test(compared)
  );
}

/**
 * Like `canonicalCameraPlate`, but accepts the words for "no plate", because a member may have exactly that plate. Returns null when the text
 * has no letter or digit, is too long, or contains characters that could not be decoded: without them it might be another vehicle's plate.
 */
export function writtenPlate(raw: string): string | null {
  if (raw.includes(LOST_CHARACTER)) return null;
  const plate = raw.trim().toUpperCase().normalize('NFC').replace(COLOUR_PREFIX, '');
  if (plate.length > PLATE_LENGTH_MAX) return null;
  return normalisePlate(plate) === '' ? null : plate;
}

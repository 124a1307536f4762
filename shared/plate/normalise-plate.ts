/**
 * The forms of a licence plate: as stored, and as compared. REST contract, "Allowed values".
 */

/** The longest plate that a reading may hold; longer text is no plate. */
export const PLATE_LENGTH_MAX = 64;

const PLAIN = /^[A-Z0-9]*$/;
const NOT_LETTER_OR_DIGIT = /[^\p{L}\p{Nd}]+/gu;

/**
 * The colour of a Chinese plate, which Hikvision writes in front of it. It counts as one only before a province or the police's WJ,
 * because 黑 alone is also a province.
 */
const COLOUR_PREFIX = /^(?:黄绿|渐绿|蓝|黄|绿|白|黑)(?=\p{Script=Han}|WJ)/u;

/** What cameras write for a vehicle without a plate, in the form that is compared. */
const NO_PLATE = new Set(['UNKNOWN', 'NOPLATE', 'UNLICENSED', '无车牌', '未识别', '未知']);

/** The form in which plates are compared: NFKC, upper case, letters and digits only. Idempotent. */
export function normalisePlate(text: string): string {
  if (PLAIN.test(text)) return text;
  return text.normalize('NFKC').toUpperCase().normalize('NFKC').replace(NOT_LETTER_OR_DIGIT, '').normalize('NFKC');
}

/**
 * The form in which a camera's text is stored: upper case, NFC, without the colour of a Chinese plate.
 * null when the text is no usable plate: empty, `unknown`, `noPlate`, `-` and the like.
 */
export function canonicalCameraPlate(raw: string): string | null {
  const plate = raw.trim().toUpperCase().normalize('NFC').replace(COLOUR_PREFIX, '');
  if (plate.length > PLATE_LENGTH_MAX) return null;
  const compared = normalisePlate(plate);
  return compared === '' || NO_PLATE.has(compared) ? null : plate;
}

import type { CameraRead } from '../camera.js';

/** How many characters of each text are kept: more than any camera writes, and no more than a record holds. */
export const READ_TEXT_MAX = {
  vendor_event_id: 256,
  raw_plate: 256,
  make: 64,
  color: 64,
  model: 64,
  country_code: 16,
} as const;

const NOT_PLAIN = /[^ -~]/;

/**
 * Makes a camera's text fit to be stored: without control characters (PostgreSQL stores no NUL) and halves of characters, and cut to a
 * length.
 */
export function cleanText(text: string, lengthMax: number): string {
  // Nearly all texts have only these characters. This case is quick, because a vehicle waits for a dozen texts.
  if (!NOT_PLAIN.test(text)) return text.slice(0, lengthMax).trim();
  return text
    .replace(/[\p{Cc}\p{Cs}]/gu, '')
    .slice(0, lengthMax)
    .replace(/[\ud800-\udbff]$/, '')
    .trim();
}

/** The name of a make, a model or a color; null: the text is a number, or a word for an unknown name. */
export function givenName(text: string): string | null {
  const name = cleanText(text, READ_TEXT_MAX.make);
  return /^(-*|\d+|unknown|other)$/i.test(name) ? null : name;
}

/** Parses how sure a camera is, as a share of `whole` within 0 and 1; null: the text is no number. */
export function shareOf(text: string, whole = 1): number | null {
  const value = text === '' ? NaN : Number(text) / whole;
  return Number.isFinite(value) ? Math.min(1, Math.max(0, value)) : null;
}

/** As `shareOf`, for cameras that write a number below zero when they do not know. */
export const confidenceOf = (text: string, whole: number): number | null =>
  Number(text) < 0 ? null : shareOf(text, whole);

/** A read of which nothing is known. A driver takes from it the fields that its vendor never sends. */
export const UNKNOWN_READ: Readonly<CameraRead> = {
  vendor_event_id: null,
  raw_plate: '',
  confidence: null,
  movement: 'absent',
  camera_time: null,
  retransmission: false,
  type: null,
  make: null,
  color: null,
  model: null,
  country_code: null,
  pictures: { full: null, plate: null, plate_box: null },
};

import type { CameraRead } from '../camera.js';

/** How many characters of a read's texts are kept: more than any camera writes, and no more than a record holds. */
export const READ_TEXT_MAX = {
  vendor_event_id: 256,
  raw_plate: 256,
  make: 64,
  color: 64,
  model: 64,
  country_code: 16,
} as const;

const NOT_PLAIN = /[^ -~]/;

/** Makes a camera's text fit to be stored: it has no control characters (PostgreSQL stores no NUL), no halves of characters, and a bound. */
export function cleanText(text: string, lengthMax: number): string {
  // Nearly all texts are such, and a vehicle waits for a dozen of them.
  if (!NOT_PLAIN.test(text)) return text.slice(0, lengthMax).trim();
  return text
    .replace(/[\p{Cc}\p{Cs}]/gu, '')
    .slice(0, lengthMax)
    .replace(/[\ud800-\udbff]$/, '')
    .trim();
}

/** A make, a model or a color as its name; null: a number, or a word that stands for none. */
export function givenName(text: string): string | null {
  const name = cleanText(text, READ_TEXT_MAX.make);
  return /^(-*|\d+|unknown|other)$/i.test(name) ? null : name;
}

/** How sure a camera is, as a share of `whole` within 0 and 1; null: the text is no number. */
export function shareOf(text: string, whole = 1): number | null {
  const value = text === '' ? NaN : Number(text) / whole;
  return Number.isFinite(value) ? Math.min(1, Math.max(0, value)) : null;
}

/** The same for cameras that write a number below zero when they do not know. */
export const confidenceOf = (text: string, whole: number): number | null =>
  Number(text) < 0 ? null : shareOf(text, whole);

/** A read of which nothing is known: what a vendor never says of a vehicle stays as it stands here. */
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

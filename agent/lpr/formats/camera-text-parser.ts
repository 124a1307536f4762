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

/** How sure a camera is, within 0 and 1; null: it gave no number. */
export const shareOf = (value: number): number | null =>
  Number.isFinite(value) ? Math.min(1, Math.max(0, value)) : null;

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

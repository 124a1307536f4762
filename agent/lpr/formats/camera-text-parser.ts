/** How many characters of a read's texts are kept: more than any camera writes, and no more than a record holds. */
export const READ_TEXT_MAX = {
  vendor_event_id: 256,
  raw_plate: 256,
  make: 64,
  color: 64,
  model: 64,
  country_code: 16,
} as const;

/** Makes a camera's text fit to be stored: it has no control characters (PostgreSQL stores no NUL), no halves of characters, and a bound. */
export function cleanText(text: string, lengthMax: number): string {
  return text
    .replace(/[\p{Cc}\p{Cs}]/gu, '')
    .slice(0, lengthMax)
    .replace(/[\ud800-\udbff]$/, '')
    .trim();
}

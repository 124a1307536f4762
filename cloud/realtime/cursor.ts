/** Cursors as they travel: the journal's ids as text. */

/** A cursor as it was given out, or null for a text that never was one. */
export function parseCursor(text: string): number | null {
  if (!/^[1-9]\d{0,15}$/.test(text)) return null;
  const cursor = Number(text);
  return Number.isSafeInteger(cursor) ? cursor : null;
}

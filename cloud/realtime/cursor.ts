/** Journal cursors on the wire are the journal's ids as text. */

/** Parses a cursor; null for a text that can never have been one. */
export function parseCursor(text: string): number | null {
  if (!/^[1-9]\d{0,15}$/.test(text)) return null;
  const cursor = Number(text);
  return Number.isSafeInteger(cursor) ? cursor : null;
}

/** Journal cursors on the wire are the journal's ids as text; `0` is the cursor of a journal that has no event yet. */

/** Parses a cursor; null for a text that can never have been one. */
export function parseCursor(text: string): number | null {
  if (!/^(0|[1-9]\d{0,15})$/.test(text)) return null;
  const cursor = Number(text);
  return Number.isSafeInteger(cursor) ? cursor : null;
}

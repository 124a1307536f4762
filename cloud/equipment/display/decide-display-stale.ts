/** Decides whether a display shows how it is now. Pure. */

/** A text that was sent longer ago may not be shown any more: gateways send every text again each minute, and report it. */
const SHOWN_FOR_MS = 180_000;

/** @param shown_at when the display last accepted a text, wall milliseconds; null: not known */
export const isDisplayStale = (
  { shown_at, shown_is_stale }: { shown_at: number | null; shown_is_stale: number | null },
  now: number,
): boolean => shown_is_stale === 1 || shown_at === null || now - shown_at > SHOWN_FOR_MS;

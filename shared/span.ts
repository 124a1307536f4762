/**
 * Says whether a span of time holds a moment: its beginning belongs to it, and its end does not. null: it is open on that side. Times are
 * wall milliseconds.
 */
export const spanHolds = (at: number, begins: number | null, ends: number | null): boolean =>
  (begins === null || begins <= at) && (ends === null || at < ends);

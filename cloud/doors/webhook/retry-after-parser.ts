/** `Retry-After` of an answer that asks for patience: seconds, or an HTTP date (RFC 9110, 10.2.3). */

/** A longer time that is asked for is cut to this. */
const LONGEST_MS = 3_600_000;
/** The statuses with which the header asks for patience. With others it has another meaning, or none. */
const STATUSES = new Set([429, 503]);

/**
 * @param header as it came; undefined: there was none
 * @param now wall milliseconds
 * @returns milliseconds to wait at least, an hour at most; null when no wait is asked for, or the header is neither seconds nor a date
 */
export function parseRetryAfter(statusCode: number, header: string | undefined, now: number): number | null {
  if (!STATUSES.has(statusCode) || header === undefined) return null;
  const text = header.trim();
  const ms = /^\d+$/.test(text) ? Number(text) * 1_000 : /^[A-Z][a-z]{2,8}, /.test(text) ? Date.parse(text) - now : NaN;
  return ms > 0 ? Math.min(ms, LONGEST_MS) : null;
}

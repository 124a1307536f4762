/** Times as they are typed at a lot, whose clock need not be that of the browser. */
import { zoneOffsets } from '../../../shared/zone-offsets.js';

/**
 * The moment at which the clocks of a time zone show a time. Of an hour that comes twice it is the second; one that is left out is after it.
 * @param text `2026-11-29T02:00`, as `<input type=datetime-local>` has it. @returns ISO 8601, UTC; null: it is no time
 */
export function momentAt(text: string, timezone: string): string | null {
  const asUtc = Date.parse(`${text}Z`);
  if (Number.isNaN(asUtc)) return null;
  const offsetAt = (ms: number) => zoneOffsets(timezone)(ms).offset_ms;
  // The first guess may be on the other side of a change of the clocks.
  const near = asUtc - offsetAt(asUtc);
  return new Date(asUtc - offsetAt(near)).toISOString();
}

/** What the clocks of a time zone show at a moment, as `<input type=datetime-local>` takes it. @param ms since 1970 */
export const inputAt = (ms: number, timezone: string): string =>
  new Date(ms + zoneOffsets(timezone)(ms).offset_ms).toISOString().slice(0, 16);

/** The same of a moment as the service shows it; empty: there is none. */
export const inputOf = (iso: string | null, timezone: string): string =>
  iso === null ? '' : inputAt(Date.parse(iso), timezone);

/** Whether the clocks of two time zones show the same at a moment. @param ms since 1970 */
export const showSame = (ms: number, a: string, b: string): boolean =>
  zoneOffsets(a)(ms).offset_ms === zoneOffsets(b)(ms).offset_ms;

/** Times as the clocks of a place show them, for files that people open: a spreadsheet knows `2026-05-04 10:00:00` as a time. */
import { MINUTE_MS } from './durations.js';
import { zoneOffsets } from './zone-offsets.js';

/** `2026-05-04 10:00:00`. @param timezone IANA name */
export function localTimeText(ms: number, timezone: string): string {
  const local = ms + zoneOffsets(timezone)(ms).offset_ms;
  return new Date(local).toISOString().slice(0, 19).replace('T', ' ');
}

/** The distance of the clocks from UTC then: `UTC+02:00`. */
export function utcOffsetText(ms: number, timezone: string): string {
  const minutes = Math.round(zoneOffsets(timezone)(ms).offset_ms / MINUTE_MS);
  const digits = (count: number) => String(count).padStart(2, '0');
  const size = Math.abs(minutes);
  return `UTC${minutes < 0 ? '-' : '+'}${digits(Math.floor(size / 60))}:${digits(size % 60)}`;
}

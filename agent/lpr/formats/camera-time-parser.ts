/** Parses times as cameras write them: ISO 8601 with or without offset. Without one they are wall time in the camera's time zone. */

import { isoOfWall } from './wall-time-parser.js';

const TIME =
  /^(\d{4})-(\d{2})-(\d{2})[T ](\d{2}):(\d{2}):(\d{2})(?:[.,](\d{1,9}))?\s*(?:(Z)|([+-])(\d{1,2}):?(\d{2})?)?$/i;

const OFFSET_MAX_MIN = 18 * 60;

/** Returns null for text that is no time. `zone` is an IANA name; an unknown one counts as UTC. */
export function parseCameraTime(text: string, zone: string): { epoch_ms: number; offset_min: number | null } | null {
  const match = TIME.exec(text.trim());
  if (match === null) return null;
  const [, year, month, day, hour, minute, second, fraction = '', utc, sign, offsetHours, offsetMinutes = '0'] = match;
  const milliseconds = Math.trunc(Number(`0.${fraction || '0'}`) * 1000);
  const [y, m, d] = [Number(year), Number(month), Number(day)];
  const daysInMonth = (Date.UTC(y, m, 1) - Date.UTC(y, m - 1, 1)) / 86_400_000;
  if (m < 1 || m > 12 || d < 1 || d > daysInMonth) return null;
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 60) return null;
  const wallMs = Date.UTC(y, m - 1, d, Number(hour), Number(minute), Number(second), milliseconds);
  if (utc !== undefined) return { epoch_ms: wallMs, offset_min: 0 };
  if (sign !== undefined) {
    const offset = (Number(offsetHours) * 60 + Number(offsetMinutes)) * (sign === '-' ? -1 : 1);
    if (Math.abs(offset) > OFFSET_MAX_MIN) return null;
    return { epoch_ms: wallMs - offset * 60_000, offset_min: offset };
  }
  return { epoch_ms: wallMs - zoneOffsetMs(wallMs, zone), offset_min: null };
}

/** The wall time in a zone as ISO 8601 without an offset, to the second. */
export function wallIsoAt(epochMs: number, zone: string): string {
  const formatter = formatterOf(zone);
  return isoOfWall(epochMs + (formatter === null ? 0 : offsetAt(epochMs, formatter))).slice(0, 19);
}

/** Finds the offset of the time zone at a wall time. A wall time that occurs twice is the earlier one; one that is skipped moves on. */
function zoneOffsetMs(wallMs: number, zone: string): number {
  const formatter = formatterOf(zone);
  if (formatter === null) return 0;
  const first = offsetAt(wallMs, formatter);
  const before = offsetAt(wallMs - first - 3_600_000, formatter);
  return offsetAt(wallMs - before, formatter) === before ? before : offsetAt(wallMs - first, formatter);
}

function offsetAt(epochMs: number, formatter: Intl.DateTimeFormat): number {
  const parts: Record<string, number> = {};
  for (const part of formatter.formatToParts(epochMs)) parts[part.type] = Number(part.value);
  const { year = 1970, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(epochMs / 1000) * 1000;
}

const formatters = new Map<string, Intl.DateTimeFormat | null>();
const FORMATTERS_MAX = 100;

function formatterOf(zone: string): Intl.DateTimeFormat | null {
  const known = formatters.get(zone);
  if (known !== undefined) return known;
  let formatter: Intl.DateTimeFormat | null = null;
  try {
    formatter = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      calendar: 'gregory',
      numberingSystem: 'latn',
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  } catch {
    // This machine does not know the time zone: the time counts as UTC, and its drift shows.
  }
  if (formatters.size >= FORMATTERS_MAX) formatters.clear();
  formatters.set(zone, formatter);
  return formatter;
}

/**
 * Parses times as cameras write them: ISO 8601, seconds or milliseconds since 1970, or a pattern. A time without an offset is wall time in the
 * camera's time zone.
 */
import { HOUR_MS } from '../../../shared/durations.js';
import { createOffsetAt } from '../../../shared/counted-zone.js';

export interface CameraTime {
  epoch_ms: number;
  /** The offset from UTC that the camera wrote; null: it wrote none. */
  offset_min: number | null;
  /** The later moment of a wall time that clocks showed twice, because they were set back. Left out: it is one moment. */
  again_ms?: number;
}

const TIME =
  /^(\d{4})-(\d{2})-(\d{2})[T ](\d{2}):(\d{2}):(\d{2})(?:[.,](\d{1,9}))?\s*(?:(Z)|([+-])(\d{1,2}):?(\d{2})?)?$/i;

const OFFSET_MAX_MIN = 18 * 60;

/** Parses ISO 8601; null for text that is no time. @param zone an IANA name, for a time without an offset; an unknown one counts as UTC */
export function parseCameraTime(text: string, zone: string): CameraTime | null {
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
  const epoch_ms = wallMs - zoneOffsetMs(wallMs, zone);
  const again_ms = secondMomentOf(wallMs, epoch_ms, zone);
  return { epoch_ms, offset_min: null, ...(again_ms === null ? {} : { again_ms }) };
}

/** Writes the wall time in a zone as ISO 8601 without an offset, to the second. */
export function wallIsoAt(epochMs: number, zone: string): string {
  return isoOfWall(epochMs + offsetAtOf(zone)(epochMs)).slice(0, 19);
}

/** The offset of a time zone from UTC at a moment, in minutes. @param zone an IANA name; an unknown one counts as UTC */
export function zoneOffsetMin(epochMs: number, zone: string): number {
  return Math.round(offsetAtOf(zone)(epochMs) / 60_000);
}

/**
 * Finds the offset of the time zone at a wall time. If a wall time occurs twice, the earlier moment counts; a skipped
 * wall time moves forward.
 */
function zoneOffsetMs(wallMs: number, zone: string): number {
  const offsetAt = offsetAtOf(zone);
  const first = offsetAt(wallMs);
  const before = offsetAt(wallMs - first - HOUR_MS);
  return offsetAt(wallMs - before) === before ? before : offsetAt(wallMs - first);
}

/** The later moment at which clocks in the zone show a wall time again; null: they show it once. */
function secondMomentOf(wallMs: number, epochMs: number, zone: string): number | null {
  const offsetAt = offsetAtOf(zone);
  const later = offsetAt(epochMs + 2 * HOUR_MS);
  const againMs = wallMs - later;
  return againMs > epochMs && offsetAt(againMs) === later ? againMs : null;
}

const offsets = new Map<string, (epochMs: number) => number>();
const OFFSETS_MAX = 100;

function offsetAtOf(zone: string): (epochMs: number) => number {
  const known = offsets.get(zone);
  if (known !== undefined) return known;
  const offsetAt = createOffsetAt(zone);
  if (offsets.size >= OFFSETS_MAX) offsets.clear();
  offsets.set(zone, offsetAt);
  return offsetAt;
}

const PARTS = /YYYY|SSS|MM|DD|HH|mm|ss/g;
/** The year 2286 in seconds: a larger number is no time. */
const SECONDS_MAX = 10_000_000_000;

/**
 * Parses a time in the form that a mapping names; null for text in another form.
 * @param format `iso`, `seconds`, `milliseconds`, or a pattern such as `DD.MM.YYYY HH:mm:ss`
 * @param zone an IANA name, for a time without an offset
 */
export function parseTimeAs(text: string, format: string, zone: string): CameraTime | null {
  if (format === 'iso') return parseCameraTime(text, zone);
  if (format === 'seconds' || format === 'milliseconds') {
    const value = text === '' ? NaN : Number(text);
    const epoch_ms = format === 'seconds' ? value * 1000 : value;
    if (!Number.isFinite(epoch_ms) || epoch_ms <= 0 || epoch_ms > SECONDS_MAX * 1000) return null;
    return { epoch_ms: Math.round(epoch_ms), offset_min: 0 };
  }
  const iso = isoOf(text, format);
  return iso === null ? null : parseCameraTime(iso, zone);
}

/** null: the text does not fit the pattern. A part of the time that the pattern lacks is zero. */
function isoOf(text: string, pattern: string): string | null {
  const names = [...pattern.matchAll(PARTS)].map(([name]) => name);
  const escaped = pattern.replace(/[-/.,:]/g, String.raw`\$&`);
  const form = new RegExp(`^${escaped.replace(PARTS, (name) => String.raw`(\d{${name.length}})`)}$`);
  const match = form.exec(text.trim());
  if (match === null) return null;
  const given = new Map(names.map((name, index) => [name, match[index + 1] ?? '']));
  const part = (name: string) => given.get(name) ?? '0'.repeat(name.length);
  return `${part('YYYY')}-${part('MM')}-${part('DD')}T${part('HH')}:${part('mm')}:${part('ss')}.${part('SSS')}`;
}

/** Writes wall time, counted in milliseconds since 1970 as if it were UTC, as ISO 8601 without an offset. */
export function isoOfWall(wallMs: number): string {
  const days = Math.floor(wallMs / 86_400_000);
  const two = (number: number) => String(number).padStart(2, '0');
  // From days to a date by H. Hinnant's civil calendar, because a pure file may not use Date.
  const shifted = days + 719_468;
  const era = Math.floor(shifted / 146_097);
  const dayOfEra = shifted - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1_460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const marchMonth = Math.floor((5 * dayOfYear + 2) / 153);
  const day = dayOfYear - Math.floor((153 * marchMonth + 2) / 5) + 1;
  const month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9;
  const year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0);
  const ofDay = wallMs - days * 86_400_000;
  const [hour, minute] = [Math.floor(ofDay / 3_600_000), Math.floor(ofDay / 60_000) % 60];
  const seconds = (ofDay % 60_000) / 1000;
  return `${year}-${two(month)}-${two(day)}T${two(hour)}:${two(minute)}:${seconds.toFixed(3).padStart(6, '0')}`;
}

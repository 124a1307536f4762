/** Parses times in the form that a mapping names: ISO 8601, seconds or milliseconds since 1970, or a pattern. */
import { parseCameraTime } from './camera-time-parser.js';

export interface CameraTime {
  epoch_ms: number;
  offset_min: number | null;
}

const PARTS = /YYYY|SSS|MM|DD|HH|mm|ss/g;
/** Of numbers and texts of it. The year 2286 in seconds. */
const SECONDS_MAX = 10_000_000_000;

/** @param zone an IANA name, for times without an offset */
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

/** null: the text is not in the form. A time of the day that the form lacks is midnight. */
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

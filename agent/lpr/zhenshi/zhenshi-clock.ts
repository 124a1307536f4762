/**
 * Decides what has to be changed at the clock of a Zhenshi camera. Its zone is a number of minutes. The rules of its summer time are in an
 * undocumented form, so that a person has to set them.
 */
import { wallIsoAt, zoneOffsetMin } from '../formats/camera-time-parser.js';
import { textAt, valueAt } from '../formats/path-parser.js';
import type { SetupRequest } from '../camera.js';
import { byHand, change, decideClock, type FoundSetting, RIGHT } from '../setup/decide-setting.js';
import { MINUTE_MS } from '../../../shared/durations.js';

const HALF_YEAR_MS = 182 * 86_400_000;
const CYCLE_S = 600;

/** The camera's answers about its time; undefined: it did not give one. */
export interface FoundTime {
  /** `OK getdate=2026-01-15 Thu`, and `OK gettime=13:00:00` */
  text: string;
  zone: unknown;
  summer: unknown;
  server: unknown;
}

export function decideTime(
  found: FoundTime,
  { now_ms, timezone, timeServer }: { now_ms: number | null; timezone: string; timeServer: string | null },
): FoundSetting[] {
  const offset_min = numberAt(found.zone, 'timezone');
  const wall_ms = wallMsOf(found.text);
  if (offset_min === null || wall_ms === null || now_ms === null)
    return [byHand(`set its clock and its time zone (${timezone}) on its web page, best by a time server`)];
  const isSummerKept = textAt(found.summer, ['DST_enable']) === '1';
  const summer_min = isSummerKept ? (numberAt(found.summer, 'DST_offset') ?? 0) : 0;
  const readings = [offset_min, offset_min + summer_min].map((each) => wall_ms - each * MINUTE_MS);
  const [camera_ms = wall_ms] = readings.toSorted((a, b) => Math.abs(a - now_ms) - Math.abs(b - now_ms));
  return [
    ...decideZone({ offset_min, isSummerKept }, { now_ms, timezone }),
    decideClock({ camera_ms, now_ms, followsServer: textAt(found.server, ['enable']) === '1' }, (now) =>
      call('ss_set_timing', { datetime: wallIsoAt(now, timezone).replace('T', ' ') }),
    ),
    timeServer === null ? RIGHT : decideTimeServer(found.server, timeServer),
  ];
}

/** A camera that switches to summer time by itself has the offset of winter. */
function decideZone(
  found: { offset_min: number; isSummerKept: boolean },
  { now_ms, timezone }: { now_ms: number; timezone: string },
): FoundSetting[] {
  const offsets = [zoneOffsetMin(now_ms, timezone), zoneOffsetMin(now_ms + HALF_YEAR_MS, timezone)] as const;
  const wanted = found.isSummerKept ? Math.min(...offsets) : offsets[0];
  const hasSummer = offsets[0] !== offsets[1];
  const summer =
    hasSummer && !found.isSummerKept ? [byHand(`switch on its summer time (${timezone}) on its web page`)] : [];
  if (found.offset_min === wanted) return summer;
  return [
    change({
      name: 'timezone',
      what: `time zone: from ${utcText(found.offset_min)} to ${utcText(wanted)} (${timezone})`,
      apply: call('set_timezone', { timezone: wanted }),
      undo: call('set_timezone', { timezone: found.offset_min }),
    }),
    ...summer,
  ];
}

function decideTimeServer(server: unknown, host: string): FoundSetting {
  if (typeof server !== 'object' || server === null)
    return byHand(`name ${host} as its time server on its web page: it does not offer NTP`);
  const isEnabled = textAt(server, ['enable']) === '1';
  if (isEnabled && textAt(server, ['server']) === host) return RIGHT;
  return change({
    name: 'ntp_cfg',
    what: `time server: from ${(isEnabled ? textAt(server, ['server']) : '') || 'none'} to ${host}`,
    apply: call('ss_set_ntp_cfg', { cycle: CYCLE_S, ...server, enable: 1, server: host }),
    undo: call('ss_set_ntp_cfg', server),
  });
}

export const SYSTEM = '/systemjson.php';

const call = (type: string, body: unknown): SetupRequest => ({
  method: 'POST',
  path: SYSTEM,
  contentType: 'application/json',
  body: JSON.stringify({ type, body }),
  expects: '"state"\\s*:\\s*200\\b',
});

/** The wall time of the camera, counted as if it were UTC. */
function wallMsOf(text: string): number | null {
  const [, date] = /getdate=(\d{4}-\d\d-\d\d)/.exec(text) ?? [];
  const [, time] = /gettime=(\d\d:\d\d:\d\d)/.exec(text) ?? [];
  const wallMs = Date.parse(`${date}T${time}Z`);
  return Number.isFinite(wallMs) ? wallMs : null;
}

function numberAt(document: unknown, key: string): number | null {
  const value = valueAt(document, key);
  return typeof value === 'number' && Number.isSafeInteger(value) ? value : null;
}

function utcText(minutes: number): string {
  const two = (number: number) => String(number).padStart(2, '0');
  const size = Math.abs(minutes);
  return `UTC${minutes < 0 ? '-' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`;
}

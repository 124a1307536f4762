/** What a camera did over some days, in figures and bars. */
import { DAY_MS } from '../../../shared/durations.js';

/** Of `GET /v2/lpr-cameras/{id}/health`. */
export interface CameraDayFacts {
  date: string;
  reads_count: number;
  unreadable_count: number;
  offline_seconds: number;
  clock_drift_ms: number | null;
}

export interface CameraFigures {
  /** Plates that were read, in all and in the mean of the days on which it saw something. */
  reads: number;
  perDay: number;
  /** 0 to 1: of the vehicles that it saw; null: it saw none. */
  unreadableShare: number | null;
  /** The same of the last week; null: it saw none. */
  unreadableLately: number | null;
  offlineSeconds: number;
  /** Its clock against the gateway's, as last reported; null: never. Positive: it is ahead. */
  driftMs: number | null;
  /** How its clock runs away, by the first and last report; null: fewer than two. */
  driftPerDayMs: number | null;
}

/** Beyond this the gateway's clock says when a vehicle came. */
export const DRIFT_MAX_MS = 60_000;
/** A lens is to be looked at. */
export const UNREADABLE_SHARE_HIGH = 0.1;
const WEEK = 7;

/** @param days the oldest first */
export function cameraFigures(days: readonly CameraDayFacts[]): CameraFigures {
  const reads = sum(days, 'reads_count');
  const seen = days.filter((day) => day.reads_count + day.unreadable_count > 0);
  const timed = days.filter((day): day is CameraDayFacts & { clock_drift_ms: number } => day.clock_drift_ms !== null);
  const [first, last] = [timed[0], timed.at(-1)];
  const daysBetween =
    first === undefined || last === undefined ? 0 : (Date.parse(last.date) - Date.parse(first.date)) / DAY_MS;
  return {
    reads,
    perDay: seen.length === 0 ? 0 : reads / seen.length,
    unreadableShare: unreadableShare(days),
    unreadableLately: unreadableShare(days.slice(-WEEK)),
    offlineSeconds: sum(days, 'offline_seconds'),
    driftMs: last?.clock_drift_ms ?? null,
    driftPerDayMs:
      first === undefined || last === undefined || daysBetween === 0
        ? null
        : (last.clock_drift_ms - first.clock_drift_ms) / daysBetween,
  };
}

export function unreadableShare(days: readonly CameraDayFacts[]): number | null {
  const unreadable = sum(days, 'unreadable_count');
  const all = unreadable + sum(days, 'reads_count');
  return all === 0 ? null : unreadable / all;
}

const sum = (days: readonly CameraDayFacts[], key: 'reads_count' | 'unreadable_count' | 'offline_seconds'): number =>
  days.reduce((total, day) => total + day[key], 0);

/** A day of the plot: read plates below, unreadable ones upon them. */
export interface CameraBar {
  date: string;
  x: number;
  width: number;
  read: { y: number; height: number };
  unreadable: { y: number; height: number };
}

/** @param frame in units of the drawing */
export function cameraBars(days: readonly CameraDayFacts[], frame: { width: number; height: number }): CameraBar[] {
  const most = Math.max(1, ...days.map((day) => day.reads_count + day.unreadable_count));
  const step = frame.width / Math.max(1, days.length);
  return days.map(({ date, reads_count, unreadable_count }, at) => {
    const read = (reads_count / most) * frame.height;
    const unreadable = (unreadable_count / most) * frame.height;
    return {
      date,
      x: at * step + step * 0.15,
      width: step * 0.7,
      read: { y: frame.height - read, height: read },
      unreadable: { y: frame.height - read - unreadable, height: unreadable },
    };
  });
}

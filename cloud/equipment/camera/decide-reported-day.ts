/** Decides what a report of a camera adds to its day. Pure. */
import type { ReportedDay } from './camera-day-queries.js';

/** Reports come every minute. After a longer silence it is not known whether the camera was online. */
export const SILENCE_MAX_MS = 5 * 60_000;

interface Reported {
  lpr_camera_id: number;
  /** By the camera's own calendar. */
  day: number;
  wasOffline: boolean;
  isOffline: boolean;
  /** How far the camera's clock is ahead of its gateway's; null: no read has shown it. */
  clock_drift_ms: number | null;
  now: number;
}

/**
 * Returns the day as it is after the report; null: nothing changes. The time since the last report counts as offline if the camera was
 * offline then. Of a day's drifts the largest is kept.
 * @param newest the newest day that is known of the camera
 */
export function decideReportedDay(newest: ReportedDay | undefined, reported: Reported): ReportedDay | null {
  const { lpr_camera_id, day, now } = reported;
  const before = newest?.day === day ? newest : null;
  const reportedAt = newest?.reported_at ?? null;
  const silence = reportedAt === null ? 0 : Math.max(0, now - reportedAt);
  const offline = reported.wasOffline && silence <= SILENCE_MAX_MS ? silence : 0;
  const known = before?.clock_drift_ms ?? null;
  const drift = larger(known, reported.clock_drift_ms);
  // A camera that works costs no write for each report.
  if (!reported.isOffline && offline === 0 && drift === known) return null;
  return {
    lpr_camera_id,
    day,
    offline_ms: (before?.offline_ms ?? 0) + offline,
    clock_drift_ms: drift,
    reported_at: now,
  };
}

function larger(one: number | null, other: number | null): number | null {
  if (one === null || other === null) return one ?? other;
  return Math.abs(other) > Math.abs(one) ? other : one;
}

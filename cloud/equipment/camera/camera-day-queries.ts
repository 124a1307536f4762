/** Reads and writes how cameras were, day by day. */
import type { Db, Row } from '../../kernel/store/entry.js';
import { zoneOffsets } from '../../../shared/zone-offsets.js';
import { DAY_MS } from '../../../shared/durations.js';

/** How long the days of cameras are kept. */
export const CAMERA_DAYS_KEPT = 400;

/** Numbers the day of a moment in a time zone: days since 1970-01-01 by the local calendar. */
export const dayIn = (timezone: string, ms: number): number =>
  Math.floor((ms + zoneOffsets(timezone)(ms).offset_ms) / DAY_MS);

export type CameraDay = Row<'lpr_camera_days'>;
/** The counts to add to a day. */
export type CameraCounts = Pick<CameraDay, 'reads_count' | 'unreadable_count' | 'refined_count'>;

export const NO_COUNTS: CameraCounts = { reads_count: 0, unreadable_count: 0, refined_count: 0 };

/** Adds what cameras read. The rows are each of another camera or day. */
export async function addCameraCounts(
  db: Db,
  counted: readonly (CameraCounts & Pick<CameraDay, 'lpr_camera_id' | 'day'>)[],
): Promise<void> {
  if (counted.length === 0) return;
  const rows = counted.map((counts) => ({ ...counts, offline_ms: 0, clock_drift_ms: null, reported_at: null }));
  await db
    .insertInto('lpr_camera_days')
    .values(rows.sort((a, b) => a.lpr_camera_id - b.lpr_camera_id || a.day - b.day))
    .onConflict((conflict) =>
      conflict.columns(['lpr_camera_id', 'day']).doUpdateSet(({ eb, ref }) => ({
        reads_count: eb('lpr_camera_days.reads_count', '+', ref('excluded.reads_count')),
        unreadable_count: eb('lpr_camera_days.unreadable_count', '+', ref('excluded.unreadable_count')),
        refined_count: eb('lpr_camera_days.refined_count', '+', ref('excluded.refined_count')),
      })),
    )
    .execute();
}

/** A camera's day in a report. */
export type ReportedDay = Pick<CameraDay, 'lpr_camera_id' | 'day' | 'offline_ms' | 'clock_drift_ms' | 'reported_at'>;

/** Finds the newest days of cameras, from `since` on. */
export function newestCameraDays(db: Db, ids: readonly number[], since: number): Promise<ReportedDay[]> {
  if (ids.length === 0) return Promise.resolve([]);
  return db
    .selectFrom('lpr_camera_days')
    .select(['lpr_camera_id', 'day', 'offline_ms', 'clock_drift_ms', 'reported_at'])
    .where('lpr_camera_id', 'in', ids)
    .where('day', '>=', since)
    .orderBy('day')
    .execute();
}

/** Replaces the columns that come from reports; the counts of reads stay. */
export async function saveReportedDays(db: Db, days: readonly ReportedDay[]): Promise<void> {
  if (days.length === 0) return;
  await db
    .insertInto('lpr_camera_days')
    .values(days.map((day) => ({ ...day, ...NO_COUNTS })))
    .onConflict((conflict) =>
      conflict.columns(['lpr_camera_id', 'day']).doUpdateSet(({ ref }) => ({
        offline_ms: ref('excluded.offline_ms'),
        clock_drift_ms: ref('excluded.clock_drift_ms'),
        reported_at: ref('excluded.reported_at'),
      })),
    )
    .execute();
}

/** Lists the days of a camera, from `since` on. */
export function daysOfCamera(db: Db, camera: { id: number; since: number }): Promise<CameraDay[]> {
  return db
    .selectFrom('lpr_camera_days')
    .selectAll()
    .where('lpr_camera_id', '=', camera.id)
    .where('day', '>=', camera.since)
    .execute();
}

/** @param now wall milliseconds */
export async function pruneCameraDays(db: Db, now: number): Promise<void> {
  await db
    .deleteFrom('lpr_camera_days')
    .where('day', '<', Math.floor(now / DAY_MS) - CAMERA_DAYS_KEPT)
    .execute();
}

/** Reads and writes recounts of zones. */
import type { Db, NewRow, Row } from '../../kernel/store/entry.js';
import { type CountedZone, departures } from './departure-queries.js';
import { extrasLeft, lastRecounts } from './occupancy-queries.js';
import { HOUR_MS } from '../../../shared/durations.js';

/** Returns when those open sessions of a zone began that are not too old to count. @param zone.now wall milliseconds */
export async function openSessionsBegun(
  tx: Db,
  { id, occupancy_max_hours, now }: Pick<Row<'zones'>, 'id' | 'occupancy_max_hours'> & { now: number },
): Promise<number[]> {
  const rows = await tx
    .selectFrom('sessions')
    .select('created_at')
    .where('zone_id', '=', id)
    .where('ended_at', 'is', null)
    .where('created_at', '>', now - occupancy_max_hours * HOUR_MS)
    .execute();
  return rows.map(({ created_at }) => created_at);
}

export async function insertRecount(tx: Db, recount: NewRow<'zone_recounts'>): Promise<void> {
  await tx.insertInto('zone_recounts').values(recount).execute();
}

/** A recount, with the times in ascending order at which the vehicles left that it had counted without a session. */
export type FollowedRecount = Pick<
  Row<'zone_recounts'>,
  'occupied_count' | 'uncounted_until' | 'extra_count' | 'counted_at'
> & { left_at: number[] };

/** Lists the recounts of a zone up to a time, in chronological order. */
export async function recountsOfZone(db: Db, zone: CountedZone & { until: number }): Promise<FollowedRecount[]> {
  const recounts = await db
    .selectFrom('zone_recounts')
    .select(['occupied_count', 'uncounted_until', 'extra_count', 'counted_at'])
    .where('zone_id', '=', zone.id)
    .where('counted_at', '<', zone.until)
    .orderBy('id')
    .execute();
  const followed: FollowedRecount[] = [];
  for (const [index, recount] of recounts.entries()) {
    const until = recounts[index + 1]?.counted_at ?? zone.until;
    followed.push({ ...recount, left_at: await departures(db, { zone, recount, until }) });
  }
  return followed;
}

/**
 * Returns the last recount of each zone of a lot, for gateways. It includes how many of the vehicles without a session are still there.
 * @param lot.now wall milliseconds
 */
export async function lastRecountsOfLot(
  db: Db,
  { lot_id, now }: { lot_id: number; now: number },
): Promise<Pick<Row<'zone_recounts'>, 'zone_id' | 'uncounted_until' | 'extra_count' | 'counted_at'>[]> {
  const recounts = await lastRecounts(db).where('zones.lot_id', '=', lot_id).execute();
  const followed = [];
  for (const recount of recounts) {
    const { id: zone_id, uncounted_until, counted_at } = recount;
    const extra_count = await extrasLeft(db, { zone: recount, recount, now });
    followed.push({ zone_id, uncounted_until, extra_count, counted_at });
  }
  return followed;
}

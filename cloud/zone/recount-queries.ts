/** Writes recounts of zones. */
import { type Expression, sql, type SqlBool } from 'kysely';
import type { Db } from '../store/cloud-store.js';
import type { NewRow, Row } from '../store/schema.js';

const HOUR_MS = 3_600_000;

/** Reads when the open sessions of a zone began that are not too old to count. @param zone.now wall milliseconds */
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

/** Lists the recounts of a zone until a time, in their order. */
export function recountsOfZone(
  db: Db,
  zone: { id: number; until: number },
): Promise<Pick<Row<'zone_recounts'>, 'occupied_count' | 'uncounted_until' | 'extra_count' | 'counted_at'>[]> {
  return db
    .selectFrom('zone_recounts')
    .select(['occupied_count', 'uncounted_until', 'extra_count', 'counted_at'])
    .where('zone_id', '=', zone.id)
    .where('counted_at', '<', zone.until)
    .orderBy('id')
    .execute();
}

/** The last recounts of zones of a lot, for gateways. */
export function lastRecountsOfLot(
  db: Db,
  lot_id: number,
): Promise<Pick<Row<'zone_recounts'>, 'zone_id' | 'uncounted_until' | 'extra_count' | 'counted_at'>[]> {
  const isLast: Expression<SqlBool> = sql<boolean>`zone_recounts.id =
    (select max(last.id) from zone_recounts as last where last.zone_id = zone_recounts.zone_id)`;
  return db
    .selectFrom('zone_recounts')
    .innerJoin('zones', 'zones.id', 'zone_recounts.zone_id')
    .select([
      'zone_recounts.zone_id',
      'zone_recounts.uncounted_until',
      'zone_recounts.extra_count',
      'zone_recounts.counted_at',
    ])
    .where('zones.lot_id', '=', lot_id)
    .where(isLast)
    .execute();
}

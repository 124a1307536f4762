/** How full zones are. */
import { sql } from 'kysely';
import type { Db } from '../cloud-store.js';

const HOUR_MS = 3_600_000;

/**
 * Zone id -> occupied_count: of its sensors where its places have any, else its open sessions; those older than the zone's
 * occupancy_max_hours do not count any more (REST contract, "Access decisions"). A zone that is not there has none.
 * @param now wall milliseconds
 */
export async function occupiedCounts(db: Db, zone_ids: readonly number[], now: number): Promise<Map<number, number>> {
  if (zone_ids.length === 0) return new Map();
  const bySessions = await db
    .selectFrom('zones')
    .leftJoin('sessions', (join) =>
      join
        .onRef('sessions.zone_id', '=', 'zones.id')
        .on('sessions.ended_at', 'is', null)
        .on(sql<boolean>`sessions.created_at > ${now} - zones.occupancy_max_hours * ${HOUR_MS}`),
    )
    .select(({ fn }) => ['zones.id', fn.count<number>('sessions.id').as('occupied')])
    .where('zones.id', 'in', zone_ids)
    .groupBy('zones.id')
    .execute();
  const bySensors = await db
    .selectFrom('parking_places')
    .select(['zone_id', sql<number>`sum(case when occupancy_status = 'occupied' then 1 else 0 end)`.as('occupied')])
    .where('zone_id', 'in', zone_ids)
    .where('sensor', 'is not', null)
    .groupBy('zone_id')
    .execute();
  return new Map([
    ...bySessions.map(({ id, occupied }) => [id, occupied] as const),
    ...bySensors.map(({ zone_id, occupied }) => [zone_id, occupied] as const),
  ]);
}

/** Reads zones with the tariffs that their representations contain. */
import { byOwner, type Db, type Row } from '../../kernel/entry.js';

export type ZoneRow = Row<'zones'> & { tariff_ids: number[] };

export async function zonesByIds(db: Db, ids: readonly number[]): Promise<ZoneRow[]> {
  const zones = await db.selectFrom('zones').selectAll().where('id', 'in', ids).execute();
  const tariffs = await db
    .selectFrom('zone_tariffs')
    .select(['zone_id as owner', 'tariff_id'])
    .where('zone_id', 'in', ids)
    .orderBy('position')
    .execute();
  const tariffsOf = byOwner(tariffs);
  return zones.map((zone) => ({ ...zone, tariff_ids: tariffsOf(zone.id).map(({ tariff_id }) => tariff_id) }));
}

/** Finds which of these zones belong to the lot, or belonged to it until they were deleted. */
export async function lotsOfZones(db: Db, ids: number[]): Promise<{ id: number; lot_id: number }[]> {
  if (ids.length === 0) return [];
  return db
    .selectFrom('zones')
    .select(['id', 'lot_id'])
    .where('id', 'in', ids)
    .unionAll((eb) => eb.selectFrom('deleted_zones').select(['id', 'lot_id']).where('id', 'in', ids))
    .execute();
}

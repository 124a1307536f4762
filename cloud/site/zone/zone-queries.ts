/** Reads zones with the tariffs that their representations contain. */
import { byOwner, type Db, deletedAt, type GoneRows, KEPT_OF_ALL, type Row } from '../../kernel/store/entry.js';

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

/** Keeps zones that are being deleted, with the tariff that prices late sessions and the groups that they admitted. */
export async function keepZones(tx: Db, { ids, now }: GoneRows): Promise<void> {
  const zones = tx
    .selectFrom('zones')
    .select(['id', 'account_id', 'lot_id', 'name', deletedAt(now), 'created_at', 'updated_at'])
    .select((eb) =>
      eb
        .selectFrom('zone_tariffs')
        .select('zone_tariffs.tariff_id')
        .whereRef('zone_tariffs.zone_id', '=', 'zones.id')
        .orderBy('zone_tariffs.position')
        .limit(1)
        .as('tariff_id'),
    )
    .where('id', 'in', ids);
  await tx
    .insertInto('deleted_zones')
    .columns([...KEPT_OF_ALL, 'tariff_id'])
    .expression(zones)
    .execute();
  await tx
    .insertInto('deleted_zone_groups')
    .columns(['group_id', 'zone_id'])
    .expression(tx.selectFrom('group_zones').select(['group_id', 'zone_id']).where('zone_id', 'in', ids))
    .execute();
}

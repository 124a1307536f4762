/** Tariffs. */
import type { Db } from '../cloud-store.js';
import type { Row } from '../schema.js';

export async function findTariff(db: Db, id: number): Promise<Row<'tariffs'> | null> {
  const row = await db.selectFrom('tariffs').selectAll().where('id', '=', id).executeTakeFirst();
  return row ?? null;
}

/** The time zones of the lots in which a tariff prices stays: through their zones, or through groups of members there. */
export async function timezonesOfTariff(db: Db, tariff_id: number): Promise<string[]> {
  const ofZones = db
    .selectFrom('zone_tariffs')
    .innerJoin('zones', 'zones.id', 'zone_tariffs.zone_id')
    .innerJoin('lots', 'lots.id', 'zones.lot_id')
    .select('lots.timezone')
    .where('zone_tariffs.tariff_id', '=', tariff_id);
  const ofGroups = db
    .selectFrom('group_tariffs')
    .innerJoin('group_zones', 'group_zones.group_id', 'group_tariffs.group_id')
    .innerJoin('zones', 'zones.id', 'group_zones.zone_id')
    .innerJoin('lots', 'lots.id', 'zones.lot_id')
    .select('lots.timezone')
    .where('group_tariffs.tariff_id', '=', tariff_id);
  const rows = await ofZones.union(ofGroups).execute();
  return rows.map(({ timezone }) => timezone);
}

/** Reads tariffs. */
import { sql } from 'kysely';
import { countedZone } from '../../../shared/counted-zone.js';
import type { Db, Row } from '../../kernel/store/entry.js';

export async function findTariff(db: Db, id: number): Promise<Row<'tariffs'> | null> {
  const row = await db.selectFrom('tariffs').selectAll().where('id', '=', id).executeTakeFirst();
  return row ?? null;
}

/** The lots in which a tariff determines prices: those of its zones, and those of the zones that admit its groups. */
export const LOTS_OF_TARIFF = sql`
  select zones.lot_id from zone_tariffs join zones on zones.id = zone_tariffs.zone_id
  where zone_tariffs.tariff_id = tariffs.id
  union
  select zones.lot_id from group_tariffs
  join group_zones on group_zones.group_id = group_tariffs.group_id
  join zones on zones.id = group_zones.zone_id
  where group_tariffs.tariff_id = tariffs.id
`;

/** Finds the time zones of the lots where a tariff is used: by a zone, or by a group that a zone admits. */
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
  return [...new Set(rows.map(({ timezone }) => countedZone(timezone)))];
}

export const tariffsByIds = (db: Db, ids: readonly number[]): Promise<Row<'tariffs'>[]> =>
  db.selectFrom('tariffs').selectAll().where('id', 'in', ids).execute();

/** Reads displays and their rules. */
import type { Db, Row } from '../../kernel/store/entry.js';

/** A display with the device of its gateway, and what that last said. */
export type DisplayRow = Row<'rgb_displays'> & {
  gateway_public_key: string | null;
  /** As its gateway last reported; null: it never did. */
  gateway_health: Row<'gateway_health'>['health'] | null;
};

export const displaysByIds = (db: Db, ids: readonly number[]): Promise<DisplayRow[]> =>
  db
    .selectFrom('rgb_displays')
    .leftJoin('gateways', 'gateways.id', 'rgb_displays.gateway_id')
    .leftJoin('gateway_health as reported', 'reported.gateway_id', 'rgb_displays.gateway_id')
    .selectAll('rgb_displays')
    .select(['gateways.public_key as gateway_public_key', 'reported.health as gateway_health'])
    .where('rgb_displays.id', 'in', ids)
    .execute();

/** The tables of the list of rules. */
export const rulesWithDisplays = (db: Db) =>
  db.selectFrom('rgb_display_rules').innerJoin('rgb_displays', 'rgb_displays.id', 'rgb_display_rules.rgb_display_id');

/** Finds the highest `order` of a display's rules; 0 if it has none. */
export async function lastRuleOrder(db: Db, rgb_display_id: number): Promise<number> {
  const { last } = await db
    .selectFrom('rgb_display_rules')
    .select(({ fn }) => fn.max<number | null>('order').as('last'))
    .where('rgb_display_id', '=', rgb_display_id)
    .executeTakeFirstOrThrow();
  return last ?? 0;
}

export function rulesOfDisplays(db: Db, ids: readonly number[]): Promise<Row<'rgb_display_rules'>[]> {
  if (ids.length === 0) return Promise.resolve([]);
  return db.selectFrom('rgb_display_rules').selectAll().where('rgb_display_id', 'in', ids).orderBy('id').execute();
}

/** Finds the lot of a display. */
export async function lotsOfDisplay(db: Db, id: number): Promise<number[]> {
  const display = await db.selectFrom('rgb_displays').select('lot_id').where('id', '=', id).executeTakeFirst();
  return display === undefined ? [] : [display.lot_id];
}

/** Reads the zones that a display counts, and the name of its lot. */
export async function countedByDisplay(
  db: Db,
  display: Pick<Row<'rgb_displays'>, 'zone_id' | 'lot_id'>,
): Promise<{ zones: Pick<Row<'zones'>, 'id' | 'name' | 'spot_count'>[]; lot: string }> {
  const { zone_id, lot_id } = display;
  const zones = await db
    .selectFrom('zones')
    .select(['id', 'name', 'spot_count'])
    .where(zone_id === null ? 'lot_id' : 'id', '=', zone_id ?? lot_id)
    .execute();
  const lot = await db.selectFrom('lots').select('name').where('id', '=', lot_id).executeTakeFirst();
  return { zones, lot: lot?.name ?? '' };
}

/** Lists the displays that a gateway writes to and that are in its lot. */
export function displaysOfGateway(db: Db, gateway: { id: number; lot_id: number }): Promise<Row<'rgb_displays'>[]> {
  return db
    .selectFrom('rgb_displays')
    .selectAll()
    .where('gateway_id', '=', gateway.id)
    .where('lot_id', '=', gateway.lot_id)
    .where('driver', '!=', '')
    .orderBy('id')
    .execute();
}

/** Notes what a display shows, as the gateway that writes to it says. */
export async function saveShown(
  tx: Db,
  gateway: { id: number; lot_id: number },
  shown: { id: number; text: string; shown_at: number; is_stale: boolean },
): Promise<void> {
  await tx
    .updateTable('rgb_displays')
    .set({ shown_text: shown.text, shown_at: shown.shown_at, shown_is_stale: shown.is_stale ? 1 : 0 })
    .where('id', '=', shown.id)
    .where('gateway_id', '=', gateway.id)
    .where('lot_id', '=', gateway.lot_id)
    .execute();
}

/** In which lot things are. */
import { type Db, StoreError } from '../../kernel/entry.js';

/** Finds the lot of a thing. null: the thing has no lot or was deleted; undefined: no id was given. */
export async function lotOf(
  db: Db,
  table: 'zones' | 'products' | 'gateways' | 'parking_gateways',
  id: number | null | undefined,
): Promise<number | null | undefined> {
  if (id === null || id === undefined) return undefined;
  const row = await db
    .selectFrom(table as 'products')
    .select('lot_id')
    .where('id', '=', id)
    .executeTakeFirst();
  return row?.lot_id ?? null;
}

/** Finds the lot of a zone. @throws StoreError foreign_key for a zone that was deleted, as a write would */
export async function lotOfZone(db: Db, zone_id: number): Promise<number> {
  const lot_id = await lotOf(db, 'zones', zone_id);
  if (lot_id === null || lot_id === undefined) throw new StoreError('foreign_key', `there is no zone ${zone_id}`);
  return lot_id;
}

/** The gateway of a lot that has just one; null where it has none or several. */
export async function onlyGatewayOf(db: Db, lot_id: number): Promise<number | null> {
  const [only, second] = await db.selectFrom('gateways').select('id').where('lot_id', '=', lot_id).limit(2).execute();
  return second === undefined ? (only?.id ?? null) : null;
}

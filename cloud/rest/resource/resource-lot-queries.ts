/** In which lot things are. */
import { type Database, type Db, StoreError } from '../../kernel/store/entry.js';
import { holderOf } from './secret-holder-codec.js';

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

/** Finds the holder of secrets that a gateway stands for; null: none is named. */
export async function findHolder(db: Db, gateway_id: unknown): Promise<string | null> {
  if (typeof gateway_id !== 'number') return null;
  const gateway = await db
    .selectFrom('gateways')
    .select(['id', 'public_key'])
    .where('id', '=', gateway_id)
    .executeTakeFirst();
  return holderOf(gateway ?? null);
}

/**
 * Whether another row of the lot has this value.
 * @param wanted.name the column that is compared, and what makes all spellings of one value the same
 * @param wanted.columns others whose values have to be equal, too
 * @param wanted.except the row that may have it
 */
export async function isUsedInLot(
  db: Db,
  table: keyof Database,
  wanted: {
    name: { column: string; value: string; normalise?: ((text: string) => string) | undefined };
    columns: Readonly<Record<string, string | number>>;
    lot_id: number;
    except?: number;
  },
): Promise<boolean> {
  // `zones` stands for all tables that have a lot; the columns are the table's own.
  const { column: named, value: text, normalise } = wanted.name;
  let others = db
    .selectFrom(table as 'zones')
    .select(`${named} as name` as 'name')
    .where('lot_id', '=', wanted.lot_id);
  for (const [column, value] of Object.entries(wanted.columns))
    others = others.where(column as 'id', '=', value as number);
  if (wanted.except !== undefined) others = others.where('id', '!=', wanted.except);
  if (normalise === undefined) {
    return (
      (await others
        .where(named as 'name', '=', text)
        .limit(1)
        .executeTakeFirst()) !== undefined
    );
  }
  const given = normalise(text);
  return (await others.where(named as 'name', 'is not', null).execute()).some(({ name }) => normalise(name) === given);
}

/** Single rows and pairs of the tables that are managed over REST. */
import { type Db, StoreError, type StoreErrorCode } from '../cloud-store.js';
import type { NewRow } from '../schema.js';

export type ManagedTable =
  | 'lots'
  | 'zones'
  | 'parking_places'
  | 'parking_gateways'
  | 'products'
  | 'product_blocks'
  | 'bound_licenses'
  | 'lpr_cameras'
  | 'gateways'
  | 'members'
  | 'groups'
  | 'tariffs'
  | 'plate_readings'
  | 'license_plate_alerts'
  | 'rgb_displays'
  | 'rgb_display_rules'
  | 'terminals'
  | 'webhooks';

/** @returns the new row's id */
export async function insertRow<Table extends ManagedTable>(tx: Db, table: Table, row: NewRow<Table>): Promise<number> {
  // Every managed table has an id; the row is the table's own by this function's type.
  const { id } = await tx
    .insertInto(table as 'lots')
    .values(row as never)
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

/** What a change leaves alone is undefined. */
type Columns<Row> = { [Name in keyof Row]?: Row[Name] | undefined };

export async function updateRow<Table extends ManagedTable>(
  tx: Db,
  table: Table,
  row: { id: number; set: Columns<NewRow<Table>> },
): Promise<void> {
  await tx
    .updateTable(table as 'lots')
    .set(row.set as Columns<NewRow<'lots'>> as never)
    .where('id', '=', row.id)
    .execute();
}

/** @returns whether it was still there */
export async function deleteRow(tx: Db, table: ManagedTable, id: number): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom(table as 'lots')
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  return numDeletedRows > 0;
}

/** Tables of pairs: whose they are, what they name, whether their order counts. */
const PAIRS = {
  zone_tariffs: { of: 'zone_id', to: 'tariff_id', ordered: true },
  group_tariffs: { of: 'group_id', to: 'tariff_id', ordered: true },
  group_members: { of: 'group_id', to: 'member_id', ordered: false },
  member_groups: { of: 'member_id', to: 'group_id', ordered: false },
  group_zones: { of: 'group_id', to: 'zone_id', ordered: false },
} as const;

/** Joins a thing with these and no others, in this order. @param pairs.among the ids that may be let go; all when left out */
export async function replacePairs(
  tx: Db,
  table: keyof typeof PAIRS,
  pairs: { of: number; to: readonly number[]; among?: readonly number[] },
): Promise<void> {
  const { of, to, ordered } = PAIRS[table];
  const name = (table === 'member_groups' ? 'group_members' : table) as 'group_members';
  // Their columns by the names above; `group_members` stands for all of them.
  const own = tx.deleteFrom(name).where(of as 'member_id', '=', pairs.of);
  if (pairs.among === undefined) await own.execute();
  else if (pairs.among.length > 0) await own.where(to as 'group_id', 'in', pairs.among).execute();
  for (const [position, id] of [...new Set(pairs.to)].entries()) {
    const pair = { [of]: pairs.of, [to]: id, ...(ordered ? { position } : {}) };
    await tx
      .insertInto(name)
      .values(pair as never)
      .execute();
  }
}

/** Puts a member into a group; again is no error. */
export async function addToGroup(tx: Db, pair: { group_id: number; member_id: number }): Promise<void> {
  await tx
    .insertInto('group_members')
    .values(pair)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** @returns whether it was in it */
export async function removeFromGroup(tx: Db, pair: { group_id: number; member_id: number }): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('group_members')
    .where('group_id', '=', pair.group_id)
    .where('member_id', '=', pair.member_id)
    .executeTakeFirstOrThrow();
  return numDeletedRows > 0;
}

export async function lotIdsOfAccount(db: Db, account_id: number): Promise<number[]> {
  const rows = await db.selectFrom('lots').select('id').where('account_id', '=', account_id).execute();
  return rows.map(({ id }) => id);
}

/** A user sees the lots it is assigned to. */
export async function assignLot(tx: Db, pair: { account_user_id: number; lot_id: number }): Promise<void> {
  await tx.insertInto('account_user_lots').values(pair).execute();
}

/** The lot a thing is in: null for one that is in none or gone, undefined where none is named. */
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

/** A zone's lot. Throws `foreign_key` for a zone that is gone, as writing it would. */
export async function lotOfZone(db: Db, zone_id: number): Promise<number> {
  const lot_id = await lotOf(db, 'zones', zone_id);
  if (lot_id === null || lot_id === undefined) throw new StoreError('foreign_key', `there is no zone ${zone_id}`);
  return lot_id;
}

/** Slots of a lot's gateways. */
export async function slotsOfLot(db: Db, lot_id: number): Promise<Set<number>> {
  const rows = await db.selectFrom('gateways').select('slot').where('lot_id', '=', lot_id).execute();
  return new Set(rows.map(({ slot }) => slot));
}

/** The gateway of a lot that has just one; null where it has none or several. */
export async function onlyGatewayOf(db: Db, lot_id: number): Promise<number | null> {
  const [only, second] = await db.selectFrom('gateways').select('id').where('lot_id', '=', lot_id).limit(2).execute();
  return second === undefined ? (only?.id ?? null) : null;
}

export const isStoreError = (error: unknown, code: StoreErrorCode): boolean =>
  error instanceof StoreError && error.code === code;

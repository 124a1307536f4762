/** Reads and writes single rows of the tables of things, and the pairs that join them. */
import { type Db, StoreError, type StoreErrorCode } from './cloud-store.js';
import type { Database, NewRow, Row } from './schema.js';

/** @returns the new row's id */
export async function insertRow<Table extends keyof Database>(
  tx: Db,
  table: Table,
  row: NewRow<Table>,
): Promise<number> {
  // The tables of things have ids, and this function's type guarantees that the row fits the table.
  const { id } = await tx
    .insertInto(table as 'lots')
    .values(row as never)
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

/** A column that a change leaves alone is undefined. */
type Columns<Cells> = { [Name in keyof Cells]?: Cells[Name] | undefined };

export async function updateRow<Table extends keyof Database>(
  tx: Db,
  table: Table,
  row: { id: number | string; set: Columns<NewRow<Table>> },
): Promise<void> {
  await tx
    .updateTable(table as 'lots')
    .set(row.set as Columns<NewRow<'lots'>> as never)
    .where('id', '=', row.id as number)
    .execute();
}

/** Begins a query of a table; the caller adds columns and conditions. */
export const rowsOf = (db: Db, table: keyof Database) => db.selectFrom(table);

/** Reads whole rows, in any order. */
export async function rowsByIds<Table extends keyof Database>(
  db: Db,
  table: Table,
  ids: readonly (number | string)[],
): Promise<Row<Table>[]> {
  const rows = await db
    .selectFrom(table as 'lots')
    .selectAll()
    .where('id', 'in', ids as readonly number[])
    .execute();
  return rows as unknown as Row<Table>[];
}

/** A table that joins two kinds of things, from the side of one of them. */
export interface Pairs {
  table: keyof Database;
  /** The column of the thing that is joined. */
  from: string;
  /** The column of the things that it is joined with. */
  to: string;
  /** Whether their order counts; `position` then holds it. */
  isOrdered: boolean;
}

/** Lists what a thing is joined with, in its order. */
export async function pairedIds(db: Db, { table, from, to, isOrdered }: Pairs, of: number): Promise<number[]> {
  // The type of `zone_tariffs` serves for all tables of pairs; the pairs themselves name the columns.
  const query = db
    .selectFrom(table as 'zone_tariffs')
    .select(to as 'tariff_id')
    .where(from as 'zone_id', '=', of);
  const rows = await (isOrdered ? query.orderBy('position') : query).execute();
  return (rows as unknown as Record<string, number>[]).map((row) => Number(row[to]));
}

/**
 * Joins a thing with these and no others, in this order.
 * @param pairs.among the ids that may be removed; all when left out
 */
export async function replacePairs(
  tx: Db,
  { table, from, to, isOrdered }: Pairs,
  pairs: { of: number; to: readonly number[]; among?: readonly number[] },
): Promise<void> {
  const own = tx.deleteFrom(table as 'group_members').where(from as 'member_id', '=', pairs.of);
  if (pairs.among === undefined) await own.execute();
  else if (pairs.among.length > 0) await own.where(to as 'group_id', 'in', pairs.among).execute();
  for (const [position, id] of [...new Set(pairs.to)].entries()) {
    const pair = { [from]: pairs.of, [to]: id, ...(isOrdered ? { position } : {}) };
    await tx
      .insertInto(table as 'group_members')
      .values(pair as never)
      .execute();
  }
}

/**
 * Whether another row of the lot has this value.
 * @param wanted.name the column that is compared, and what makes all spellings of one value the same
 * @param wanted.columns others whose values have to be equal, too
 * @param wanted.except the row that may have it
 */
export async function isTakenInLot(
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

export const isStoreError = (error: unknown, code: StoreErrorCode): boolean =>
  error instanceof StoreError && error.code === code;

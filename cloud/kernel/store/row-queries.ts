/** Reads and writes rows of the tables of things, and the pairs that join them. */
import type { Kysely, RawBuilder } from 'kysely';
import { pushTo } from '../../../shared/grouping.js';
import { type Db, StoreError, type StoreErrorCode } from './cloud-store.js';
import { adapterOf } from './database-adapter.js';
import type { Database, NewRow, Row } from './schema.js';

/** @returns the new row's id */
export async function insertRow<Table extends keyof Database>(
  tx: Db,
  table: Table,
  row: NewRow<Table>,
): Promise<number> {
  // The tables of things have ids, and this function's type guarantees that the row fits the table.
  const { id } = await tx
    .insertInto(table as 'events')
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
    .updateTable(table as 'events')
    .set(row.set as never)
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
    .selectFrom(table as 'events')
    .selectAll()
    .where('id', 'in', ids as readonly number[])
    .execute();
  return rows as unknown as Row<Table>[];
}

/**
 * Returns a table of these rows for the FROM of a statement. They are one parameter, so that the text is the same for any number of them.
 * @param columns whole numbers, or texts without NUL and halves of surrogate pairs
 */
export function lookupRows<Name extends string>(
  db: Db,
  columns: Readonly<Record<Name, 'integer' | 'text'>>,
  rows: readonly Readonly<Record<Name, number | string>>[],
): RawBuilder<unknown> {
  return adapterOf(db).lookupRows(columns, rows);
}

/** A thing as the representation of another one shows it. */
export interface NamedThing {
  id: number;
  name: string;
}

/** Groups things by their owner, and removes the owner from them. */
export function byOwner<Thing extends { owner: number }>(
  things: readonly Thing[],
): (owner: number) => Omit<Thing, 'owner'>[] {
  const found = new Map<number, Omit<Thing, 'owner'>[]>();
  for (const { owner, ...thing } of things) pushTo(found, owner, thing);
  return (owner) => found.get(owner) ?? [];
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

/** The database for pairs, which name their table and columns themselves. */
const named = (db: Db) => db as unknown as Kysely<Record<string, Record<string, unknown>>>;

/** Lists what a thing is joined with, in its order. */
export async function pairedIds(db: Db, { table, from, to, isOrdered }: Pairs, of: number): Promise<number[]> {
  const query = named(db).selectFrom(table).select(to).where(from, '=', of);
  const rows = await (isOrdered ? query.orderBy('position') : query).execute();
  return rows.map((row) => Number(row[to]));
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
  const own = named(tx).deleteFrom(table).where(from, '=', pairs.of);
  if (pairs.among === undefined) await own.execute();
  else if (pairs.among.length > 0) await own.where(to, 'in', pairs.among).execute();
  for (const [position, id] of [...new Set(pairs.to)].entries()) {
    const pair = { [from]: pairs.of, [to]: id, ...(isOrdered ? { position } : {}) };
    await named(tx).insertInto(table).values(pair).execute();
  }
}

export const isStoreError = (error: unknown, code: StoreErrorCode): boolean =>
  error instanceof StoreError && error.code === code;

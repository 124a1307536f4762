/** Writes many rows by as few statements as are right. */
import { sql } from 'kysely';
import { inPieces } from '../../../shared/grouping.js';
import type { Db } from './cloud-store.js';
import { adapterOf } from './database-adapter.js';
import type { Database, NewRow } from './schema.js';

/**
 * How many rows one statement writes at most: databases limit the values of a statement (SQLite to 32,766), and while a long one is built
 * nobody else has the thread.
 */
export const ROWS_OF_STATEMENT_MAX = 500;
/** The same by the values of the rows: those of some tables have few. */
const VALUES_OF_STATEMENT_MAX = 20_000;
/** The same of rows that travel as one text. */
const ROWS_OF_TEXT_MAX = 2_500;

/** The tables whose rows have an id. */
export type TableWithId = {
  [Table in keyof Database]: 'id' extends keyof Database[Table] ? Table : never;
}[keyof Database];

/** Inserts rows; all of them have the same columns. */
export async function insertRows<Table extends keyof Database>(
  db: Db,
  table: Table,
  rows: readonly NewRow<Table>[],
): Promise<void> {
  for (const insertion of insertions(db, table, rows)) await insertion().execute();
}

/** Inserts rows; all of them have the same columns. @returns their ids, in the order of the rows */
export async function insertNumbered<Table extends TableWithId>(
  db: Db,
  table: Table,
  rows: readonly NewRow<Table>[],
): Promise<number[]> {
  const ids: number[] = [];
  for (const insertion of insertions(db, table, rows)) {
    const inserted = await insertion().returning('id').execute();
    // Ids grow in the order of the rows, but RETURNING promises no order.
    ids.push(...inserted.map(({ id }) => id).sort((a, b) => a - b));
  }
  return ids;
}

/** Returns what builds the statements, one after another. */
function insertions<Table extends keyof Database>(db: Db, table: Table, rows: readonly NewRow<Table>[]) {
  // The functions' types guarantee that the rows fit the table; those that are numbered have ids.
  const insert = db.insertInto(table as 'events');
  const names = Object.keys(rows[0] ?? {});
  const asValues = (some: readonly NewRow<Table>[]) =>
    inPieces(some, Math.floor(VALUES_OF_STATEMENT_MAX / names.length)).map(
      (piece) => () => insert.values(piece as never),
    );
  const columns = sql.join(names.map((name) => sql.ref(name)));
  return inPieces(rows, ROWS_OF_TEXT_MAX).flatMap((piece) => {
    const given = adapterOf(db).rowsLike(table, piece);
    if (given === null) return asValues(piece);
    return () => insert.columns(names as never).expression(sql`select ${columns} from ${given}`);
  });
}

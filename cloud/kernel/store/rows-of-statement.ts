/** Writes many rows by as few statements as are right. */
import { PostgresAdapter, sql } from 'kysely';
import { inPieces } from '../../../shared/grouping.js';
import type { Db } from './cloud-store.js';
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
/** Of fewer rows the values themselves are not more work than the text that holds them all. */
const ROWS_AS_TEXT_MIN = 4;

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

/**
 * Returns what builds the statements, one after another. A statement with a parameter for each value of hundreds of rows is built, sent,
 * parsed and planned anew each time. PostgreSQL takes all rows as one parameter instead, so that the statement is always the same, and is
 * prepared.
 */
function insertions<Table extends keyof Database>(db: Db, table: Table, rows: readonly NewRow<Table>[]) {
  // The functions' types guarantee that the rows fit the table; those that are numbered have ids.
  const insert = db.insertInto(table as 'lots');
  const names = Object.keys(rows[0] ?? {});
  const asValues = (some: readonly NewRow<Table>[]) =>
    inPieces(some, Math.floor(VALUES_OF_STATEMENT_MAX / names.length)).map(
      (piece) => () => insert.values(piece as never),
    );
  if (!(db.getExecutor().adapter instanceof PostgresAdapter)) return asValues(rows);
  const columns = sql.join(names.map((name) => sql.ref(name)));
  return inPieces(rows, ROWS_OF_TEXT_MAX).flatMap((piece) => {
    const text = rowsText(piece);
    if (text === null) return asValues(piece);
    return () =>
      insert
        .columns(names as never)
        .expression(sql`select ${columns} from json_populate_recordset(null::${sql.table(table)}, ${text})`);
  });
}

/** The rows as JSON; null: they are few, or a text has half a surrogate pair, which PostgreSQL does not read there. */
export function rowsText(rows: readonly object[]): string | null {
  if (rows.length < ROWS_AS_TEXT_MIN) return null;
  const text = JSON.stringify(rows);
  return text.includes('\\ud') || text.includes('\\u0000') ? null : text;
}

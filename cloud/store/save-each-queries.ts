/** Changes many rows by few statements. */
import { sql } from 'kysely';
import { inPieces } from '../../shared/grouping.js';
import type { Db } from './cloud-store.js';
import { ROWS_OF_STATEMENT_MAX, type TableWithId } from './rows-of-statement.js';

/** Sets the columns of each row to its own values; all rows have the same columns. */
export async function saveEach<Columns extends Record<string, string | number | null>>(
  db: Db,
  table: TableWithId,
  rows: readonly { id: number; set: Columns }[],
): Promise<void> {
  for (const piece of inPieces(rows, ROWS_OF_STATEMENT_MAX)) await savePiece(db, table, piece);
}

async function savePiece<Columns extends Record<string, string | number | null>>(
  db: Db,
  table: TableWithId,
  rows: readonly { id: number; set: Columns }[],
): Promise<void> {
  const [first] = rows;
  if (first === undefined) return;
  const settings = Object.keys(first.set).map((column) => {
    const cases = rows.map(({ id, set }) => sql`when ${id} then ${set[column] ?? null}`);
    // The column in the ELSE gives the values their type, which a database may not be able to infer.
    return sql`${sql.ref(column)} = case id ${sql.join(cases, sql` `)} else ${sql.ref(column)} end`;
  });
  const ids = sql.join(rows.map(({ id }) => sql`${id}`));
  await sql`update ${sql.table(table)} set ${sql.join(settings)} where id in (${ids})`.execute(db);
}

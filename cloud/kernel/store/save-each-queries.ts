/** Changes many rows by few statements. */
import { sql } from 'kysely';
import { inPieces } from '../../../shared/grouping.js';
import type { Db } from './cloud-store.js';
import { adapterOf } from './database-adapter.js';
import { ROWS_OF_STATEMENT_MAX, type TableWithId } from './rows-of-statement.js';

/** Sets the columns of each row to its own values; all rows have the same columns. */
export async function saveEach<Columns extends Record<string, string | number | null>>(
  db: Db,
  table: TableWithId,
  rows: readonly { id: number; set: Columns }[],
): Promise<void> {
  for (const piece of inPieces(rows, ROWS_OF_STATEMENT_MAX)) await saving(db, table, piece).execute();
}

function saving<Columns extends Record<string, string | number | null>>(
  db: Db,
  table: TableWithId,
  rows: readonly { id: number; set: Columns }[],
) {
  const columns = Object.keys(rows[0]?.set ?? {});
  // All tables with ids are written alike, and this function's type says which columns there are.
  const update = db.updateTable(table as 'events');
  const settings = (valueOf: (column: string) => unknown) =>
    update.set(Object.fromEntries(columns.map((column) => [column, valueOf(column)])) as never);
  const given = adapterOf(db).rowsLike(
    table,
    rows.map(({ id, set }) => ({ id, ...set })),
  );
  if (given !== null) {
    return settings((column) => sql.ref(`given.${column}`))
      .from(given.as('given') as never)
      .where(sql.ref(`${table}.id`), '=', sql.ref('given.id'));
  }
  const own = (column: string) => {
    const cases = rows.map(({ id, set }) => sql`when ${id} then ${set[column] ?? null}`);
    // The column in the ELSE gives the values their type, which a database may not be able to infer.
    return sql`case id ${sql.join(cases, sql` `)} else ${sql.ref(column)} end`;
  };
  return settings(own).where(
    'id',
    'in',
    rows.map(({ id }) => id),
  );
}

/** Gives a statement rows to look up by. */
import { PostgresAdapter, type RawBuilder, sql } from 'kysely';
import type { Db } from './cloud-store.js';

/**
 * Returns a table of these rows for the FROM of a statement. They are one parameter, so that the text is the same for any number of them.
 * @param columns whole numbers, or texts without NUL and halves of surrogate pairs
 */
export function askedRows<Name extends string>(
  db: Db,
  columns: Readonly<Record<Name, 'integer' | 'text'>>,
  rows: readonly Readonly<Record<Name, number | string>>[],
): RawBuilder<unknown> {
  const text = JSON.stringify(rows);
  const names = Object.keys(columns) as Name[];
  if (db.getExecutor().adapter instanceof PostgresAdapter) {
    const types = { integer: sql`bigint`, text: sql`text collate "C"` };
    const list = names.map((name) => sql`${sql.ref(name)} ${types[columns[name]]}`);
    return sql`(select * from json_to_recordset(cast(${text} as json)) as given(${sql.join(list)}))`;
  }
  const list = names.map((name) => sql`value ->> ${sql.lit(name)} as ${sql.ref(name)}`);
  return sql`(select ${sql.join(list)} from json_each(${text}))`;
}

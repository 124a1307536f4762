/** Gives a statement rows to look up by. */
import type { RawBuilder } from 'kysely';
import type { Db } from './cloud-store.js';
import { adapterOf } from './database-adapter.js';

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

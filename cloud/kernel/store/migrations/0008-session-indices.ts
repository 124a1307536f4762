/** Indices of an account's sessions, for the filters and sorts of lists. */
import { sql } from 'kysely';
import type { Schema } from './create-table.js';

export async function up(db: Schema): Promise<void> {
  // The account comes first in each, because without statistics SQLite chooses an index that begins with an equality.
  for (const column of ['plate_normalised', 'created_at', 'ended_at']) {
    await indexOfAccount(db, column).execute();
  }
  await indexOfAccount(db, 'created_at', '_open').where(sql.ref('ended_at'), 'is', null).execute();
}

const indexOfAccount = (db: Schema, column: string, suffix = '') =>
  db.schema.createIndex(`sessions_account_id_${column}${suffix}`).on('sessions').columns(['account_id', column]);

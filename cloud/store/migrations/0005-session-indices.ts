/** An account's sessions by what lists are filtered and sorted by. */
import { sql } from 'kysely';
import type { Schema } from './create-table.js';

export async function up(db: Schema): Promise<void> {
  // The account comes first in each: without statistics SQLite goes by whatever index begins with what is equal.
  for (const column of ['plate_normalised', 'created_at', 'ended_at']) {
    await indexOfAccount(db, column).execute();
  }
  await indexOfAccount(db, 'created_at', '_open').where(sql.ref('ended_at'), 'is', null).execute();
}

const indexOfAccount = (db: Schema, column: string, suffix = '') =>
  db.schema.createIndex(`sessions_account_id_${column}${suffix}`).on('sessions').columns(['account_id', column]);

/** When a user token ends unless it is used again. Tokens that are there get their end when the service starts. */
import type { Schema } from './create-table.js';

export async function up(db: Schema): Promise<void> {
  await db.schema.alterTable('user_tokens').addColumn('expires_at', 'bigint').execute();
  await db.schema.createIndex('user_tokens_expires_at').on('user_tokens').columns(['expires_at']).execute();
}

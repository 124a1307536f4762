/** What an API token may at most: a role, lots of its own, and until when. Tokens that are there may what they could before. */
import { createPairs, type Schema } from './create-table.js';

export async function up(db: Schema): Promise<void> {
  const integer = (column: string, value: number) =>
    db.schema
      .alterTable('api_tokens')
      .addColumn(column, 'integer', (each) => each.notNull().defaultTo(value))
      .execute();
  await integer('account_user_role_id', 1);
  await integer('has_own_lots', 0);
  await db.schema.alterTable('api_tokens').addColumn('expires_at', 'bigint').execute();
  await createPairs(db, 'api_token_lots', { left: ['api_token_id', 'api_tokens'], right: ['lot_id', 'lots'] });
}

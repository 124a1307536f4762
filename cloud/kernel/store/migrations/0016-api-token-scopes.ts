/** What an API token may at most: a role, lots of its own, and until when. Tokens that are there may what they could before. */
import { create, INTEGER, partOf, type Schema } from './create-table.js';

export async function up(db: Schema): Promise<void> {
  const integer = (column: string, value: number) =>
    db.schema
      .alterTable('api_tokens')
      .addColumn(column, 'integer', (each) => each.notNull().defaultTo(value))
      .execute();
  await integer('account_user_role_id', 1);
  await integer('has_own_lots', 0);
  await db.schema.alterTable('api_tokens').addColumn('expires_at', 'bigint').execute();
  // A lot's history outlives the lot, and with it who may read it: the id refers to nothing.
  await create(db, 'api_token_lots', {
    columns: { api_token_id: partOf('api_tokens'), lot_id: INTEGER },
    primaryKey: ['api_token_id', 'lot_id'],
    indices: [['lot_id']],
  });
}

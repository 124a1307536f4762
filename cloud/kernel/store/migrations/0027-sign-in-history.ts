/** From where users signed in, and how often somebody failed to. */
import { create, INTEGER, partOf, type Schema, TEXT, TIME } from './create-table.js';

export async function up(db: Schema): Promise<void> {
  await create(db, 'sign_in_networks', {
    columns: { account_user_id: partOf('account_users'), network: TEXT, used_at: TIME },
    primaryKey: ['account_user_id', 'network'],
    indices: [['used_at']],
  });
  await create(db, 'sign_in_failures', {
    columns: {
      account_user_id: partOf('account_users'),
      account_id: partOf('accounts'),
      address: TEXT,
      began_at: TIME,
      failures_count: INTEGER,
      audited_count: INTEGER,
    },
    primaryKey: ['account_user_id'],
    indices: [['account_id'], ['began_at']],
  });
}

/**
 * The password by which people sign in at a gateway's local console: sealed, so that it can be shown, and what the gateway recognises it by.
 * Gateways that were claimed before have none until somebody makes one.
 */
import type { Schema } from './create-table.js';

export async function up(db: Schema): Promise<void> {
  for (const column of ['console_password_sealed', 'console_password_verifier']) {
    await db.schema.alterTable('gateways').addColumn(column, 'text').execute();
  }
  await db.schema.alterTable('gateways').addColumn('console_password_set_at', 'bigint').execute();
}

/**
 * The lot that an audit entry is about, and values that are unique within an account: across accounts nobody is told what another one has.
 * Of the gateways with a uuid one can be connected: the one that was claimed.
 */
import { sql } from 'kysely';
import type { Schema } from './create-table.js';

export async function up(db: Schema): Promise<void> {
  await db.schema.alterTable('audit_log').addColumn('lot_id', 'integer').execute();
  for (const [table, column] of [
    ['account_users', 'email'],
    ['products', 'device_id'],
    ['terminals', 'device_id'],
    ['gateways', 'uuid'],
  ] as const) {
    await db.schema.dropIndex(`${table}_${column}`).execute();
    await db.schema
      .createIndex(`${table}_account_id_${column}`)
      .on(table)
      .columns(['account_id', column])
      .unique()
      .execute();
  }
  // A sign-in and a connecting gateway say no account.
  await db.schema.createIndex('account_users_email').on('account_users').columns(['email']).execute();
  await db.schema.createIndex('gateways_uuid').on('gateways').columns(['uuid']).execute();
  await db.schema
    .createIndex('gateways_claimed_uuid')
    .on('gateways')
    .columns(['uuid'])
    .unique()
    .where(sql.ref('public_key'), 'is not', null)
    .execute();
}

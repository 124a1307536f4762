/**
 * What the history needs of deleted lots and gateways. An assignment outlives its lot: who saw the lot sees its history.
 */
import { sql } from 'kysely';
import { create, INTEGER, partOf, type Schema, TEXT, TIME, TIMESTAMPS } from './create-table.js';

export async function up(db: Schema): Promise<void> {
  await create(db, 'deleted_lots', {
    columns: { id: INTEGER, account_id: INTEGER, name: TEXT, timezone: TEXT, deleted_at: TIME, ...TIMESTAMPS },
    primaryKey: ['id'],
    indices: [['account_id']],
  });
  await create(db, 'deleted_gateways', {
    columns: { id: INTEGER, uuid: TEXT, deleted_at: TIME },
    primaryKey: ['id'],
  });
  await keepAssignments(db);
}

/** A foreign key goes only with its table. The rows wait in a table without keys, so that no name is in use twice. */
async function keepAssignments(db: Schema): Promise<void> {
  const columns = { account_user_id: INTEGER, lot_id: INTEGER };
  await create(db, 'old_account_user_lots', { columns });
  await copyAssignments(db, { from: 'account_user_lots', to: 'old_account_user_lots' });
  await db.schema.dropTable('account_user_lots').execute();
  await create(db, 'account_user_lots', {
    columns: { ...columns, account_user_id: partOf('account_users') },
    primaryKey: ['account_user_id', 'lot_id'],
    indices: [['lot_id']],
  });
  await copyAssignments(db, { from: 'old_account_user_lots', to: 'account_user_lots' });
  await db.schema.dropTable('old_account_user_lots').execute();
}

async function copyAssignments(db: Schema, { from, to }: { from: string; to: string }): Promise<void> {
  await sql`
    insert into ${sql.table(to)} (account_user_id, lot_id) select account_user_id, lot_id from ${sql.table(from)}
  `.execute(db);
}

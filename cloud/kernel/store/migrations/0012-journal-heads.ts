/**
 * Each account's journal has its own numbers, from a row that a transaction locks until its commit. So ids follow the order of the commits
 * even in a database with many writers. Events keep their ids, and every account goes on after the highest of all, so that the cursors of
 * readers remain right.
 */
import { sql } from 'kysely';
import { BIG, create, INTEGER, OPTIONAL_INTEGER, type Schema, TEXT, TIME } from './create-table.js';

export async function up(db: Schema): Promise<void> {
  await create(db, 'journal_heads', {
    columns: { account_id: OPTIONAL_INTEGER, seq: BIG },
    primaryKey: ['account_id'],
  });
  // When the journal of an account was emptied, its webhooks still know the highest id.
  await sql`
    insert into journal_heads (account_id, seq)
    select id, (
      select coalesce(max(highest), 0) from (
        select max(id) as highest from events
        union all select max(cursor) from webhooks
        union all select max(journal_id) from webhook_deliveries
      ) as ids
    ) from (select id from accounts union select account_id from events) as known
  `.execute(db);
  for (const index of ['lot_id_id', 'account_id_id', 'created_at']) {
    await db.schema.dropIndex(`events_${index}`).execute();
  }
  await db.schema.alterTable('events').renameTo('old_events').execute();
  await create(db, 'events', {
    columns: {
      account_id: INTEGER,
      id: BIG,
      lot_id: INTEGER,
      event: TEXT,
      payload: TEXT,
      created_at: TIME,
    },
    primaryKey: ['account_id', 'id'],
    indices: [['lot_id', 'id'], ['created_at']],
  });
  await sql`
    insert into events (account_id, id, lot_id, event, payload, created_at)
    select account_id, id, lot_id, event, payload, created_at from old_events
  `.execute(db);
  await db.schema.dropTable('old_events').execute();
}

/**
 * Audit entries of what was only asked are marked, and the chain is keyed by the server's key. Entries from before are numbered without a
 * gap and chained anew, once: from then on nobody without the key makes one that fits.
 */
import { createHmac } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import { SettingsError } from '../../../../shared/settings.js';
import type { DeriveKey } from '../cloud-store.js';
import { appendOnly, isPostgres, type Schema } from './create-table.js';

const ROWS_AT_ONCE = 500;

interface AuditRow {
  id: number;
  account_id: number | null;
  lot_id: number | null;
  actor_type: string;
  actor_id: number | null;
  action: string;
  target: string;
  details: string;
  is_read: number;
  created_at: number;
  previous_hash: string;
  hash: string;
}

type Chain = Kysely<{ audit_log: AuditRow }>;

export async function auditChain(db: Schema, derive: DeriveKey | undefined): Promise<void> {
  await db.schema
    .alterTable('audit_log')
    .addColumn('is_read', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
  const chain: Chain = db.withTables();
  const first = await chain.selectFrom('audit_log').select('id').limit(1).executeTakeFirst();
  if (first === undefined) return;
  if (derive === undefined) throw new Error('The audit log is chained by the server key, and none was given');
  await requireOwnKey(db, derive);
  for (const operation of ['update', 'delete']) {
    const trigger = sql.id(`audit_log_no_${operation}`);
    await (isPostgres(db) ? sql`drop function ${trigger}() cascade` : sql`drop trigger ${trigger}`).execute(db);
  }
  await sql`
    update audit_log set is_read = 1
    where action in ('plate.search', 'session.export', 'session.vehicle_analytics.export', 'weblink.show')
  `.execute(db);
  await chainAnew(chain, derive('audit_log'));
  await appendOnly(db, 'audit_log');
}

/** A tool that was started with another key must not chain with it. */
async function requireOwnKey(db: Schema, derive: DeriveKey): Promise<void> {
  const { rows } = await sql<{ check_value: string }>`select check_value from server_keys`.execute(db);
  const own = Buffer.from(derive('server_key_check')).toString('base64url');
  if (rows.some(({ check_value }) => check_value !== own)) {
    throw new SettingsError(['The audit log is chained by the server key of this database, and this is another one']);
  }
}

async function chainAnew(chain: Chain, key: Uint8Array): Promise<void> {
  let [last, number, previous_hash] = [0, 0, '0'.repeat(64)];
  for (;;) {
    const rows = await chain
      .selectFrom('audit_log')
      .selectAll()
      .where('id', '>', last)
      .orderBy('id')
      .limit(ROWS_AT_ONCE)
      .execute();
    for (const row of rows) {
      number += 1;
      const hash = hashOf(key, { ...row, id: number, previous_hash });
      // A number is never greater than the id was, so that it is free.
      await chain.updateTable('audit_log').set({ id: number, previous_hash, hash }).where('id', '=', row.id).execute();
      previous_hash = hash;
      last = row.id;
    }
    if (rows.length < ROWS_AT_ONCE) return;
  }
}

function hashOf(key: Uint8Array, row: AuditRow): string {
  const { id, account_id, lot_id, actor_type, actor_id, action, target, details, is_read, created_at } = row;
  const content = [row.previous_hash, id, account_id, lot_id, actor_type, actor_id, action, target, details];
  return createHmac('sha256', key)
    .update(JSON.stringify([...content, is_read, created_at]))
    .digest('hex');
}

/** Entries from before the chain was keyed are chained anew, by the key of their database alone. */
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Kysely, sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { verifyAudit } from '../../../cloud/kernel/audit/audit-chain-queries.js';
import { appendAudit, type AuditEntry } from '../../../cloud/kernel/audit/audit-log-queries.js';
import { requireServerKey } from '../../../cloud/kernel/secrets/require-server-key.js';
import { createSecrets } from '../../../cloud/kernel/secrets/secrets.js';
import type { CloudStore, DeriveKey } from '../../../cloud/kernel/store/cloud-store.js';
import { auditChain } from '../../../cloud/kernel/store/migrations/0065-audit-chain.js';
import type { Database } from '../../../cloud/kernel/store/schema.js';
import { openSqliteConnection } from '../../../cloud/kernel/store/sqlite/sqlite-connection.js';
import { createSqliteDialect } from '../../../cloud/kernel/store/sqlite/sqlite-dialect.js';
import { createCloudStore } from '../../../cloud/kernel/store/sqlite/sqlite-store.js';
import { dropValueChecks } from '../../../cloud/kernel/store/sqlite/value-checks.js';
import { silentLogger } from '../../../shared/logger.js';
import { FakeClock } from '../../world/fake-clock.js';
import { openMigratedStore, TEST_SECRETS } from '../../world/migrated-store.js';
import { onPostgres } from '../../world/postgres-databases.js';

let directory: string;
let store: CloudStore;
const clock = new FakeClock();

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'audit-migration-'));
  const path = join(directory, 'cloud.db');
  store = await openMigratedStore({ url: `sqlite:${path}`, clock, logger: silentLogger });
  if (onPostgres()) return;
  await store.close();
  await dropChecks(path);
  store = await createCloudStore({ url: `sqlite:${path}`, clock, logger: silentLogger, derive: TEST_SECRETS.derive });
});
afterEach(async () => {
  await store.close();
  rmSync(directory, { recursive: true });
});

/** The checks of values name the column. */
async function dropChecks(path: string): Promise<void> {
  const connection = await openSqliteConnection({ path, readonly: false, busyTimeoutMs: 5_000 });
  const db = new Kysely<Database>({ dialect: createSqliteDialect({ connection, begin: 'begin immediate' }) });
  await dropValueChecks(db);
  await db.destroy();
}

/** Entries as they were: hashed without a key, and on PostgreSQL with gaps in their numbers. */
const writeEarlier = (actions: readonly string[]) =>
  store.change(async (tx) => {
    await sql`alter table audit_log drop column is_read`.execute(tx);
    let previous_hash = '0'.repeat(64);
    for (const [at, action] of actions.entries()) {
      const hash = createHash('sha256').update(`${previous_hash}${action}`).digest('hex');
      await sql`insert into audit_log
        (id, account_id, lot_id, actor_type, actor_id, action, target, details, created_at, previous_hash, hash)
        values (${3 * at + 2}, 1, null, 'user', 7, ${action}, 'x', '{}', ${at}, ${previous_hash}, ${hash})`.execute(tx);
      previous_hash = hash;
    }
  });
const chain = (derive: DeriveKey | undefined) =>
  store.change((tx) => auditChain(tx as unknown as Kysely<unknown>, derive));
const verify = () => verifyAudit(store.reader, TEST_SECRETS.derive('audit_log'));

describe('entries from before the chain was keyed', () => {
  it('are numbered and chained anew, and more can follow', async () => {
    const actions = [
      'zone.update',
      'plate.search',
      'session.export',
      ...Array.from({ length: 1_000 }, (_, at) => `x.${at}`),
    ];
    await writeEarlier(actions);
    await requireServerKey({ store, secrets: TEST_SECRETS, clock }, { isNoted: true });
    await chain(TEST_SECRETS.derive);
    expect(await verify()).toMatchObject({ head: { entries: actions.length }, broken: null });
    const rows = await store.reader.selectFrom('audit_log').select(['action', 'is_read']).orderBy('id').execute();
    expect(rows.map(({ action }) => action)).toEqual(actions);
    expect(rows.slice(0, 4).map(({ is_read }) => is_read)).toEqual([0, 1, 1, 0]);
    const more = {
      account_id: 1,
      actor_type: 'system',
      actor_id: null,
      action: 'x.y',
      target: 'x',
    } satisfies Partial<AuditEntry>;
    await store.change((tx) => appendAudit(tx, [{ ...more, details: {}, created_at: 1 }]));
    expect(await verify()).toMatchObject({ head: { entries: actions.length + 1 }, broken: null });
    await expect(store.change((tx) => tx.deleteFrom('audit_log').execute())).rejects.toThrow('only appended to');
    await expect(store.change((tx) => tx.updateTable('audit_log').set({ action: 'x' }).execute())).rejects.toThrow(
      'only appended to',
    );
  });

  it('are not chained by another key, or by none', async () => {
    await writeEarlier(['zone.update']);
    await requireServerKey({ store, secrets: TEST_SECRETS, clock }, { isNoted: true });
    await expect(chain(createSecrets(new Uint8Array(32).fill(9)).derive)).rejects.toThrow('another one');
    await expect(chain(undefined)).rejects.toThrow('none was given');
  });
});

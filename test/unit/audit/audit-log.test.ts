import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CloudStore } from '../../../cloud/kernel/store/cloud-store.js';
import { appendAudit, type AuditEntry, findAuditBreak } from '../../../cloud/kernel/audit/audit-log-queries.js';
import { openMigratedStore } from '../../world/migrated-store.js';
import { onPostgres } from '../../world/postgres-databases.js';
import { silentLogger } from '../../../shared/logger.js';
import { FakeClock } from '../../world/fake-clock.js';

let directory: string;
let path: string;
let store: CloudStore;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'audit-log-'));
  path = join(directory, 'cloud.db');
  store = await openMigratedStore({ url: `sqlite:${path}`, clock: new FakeClock(), logger: silentLogger });
});
afterEach(async () => {
  await store.close();
  rmSync(directory, { recursive: true });
});

const entry = (target: string): AuditEntry => ({
  account_id: 1,
  actor_type: 'user',
  actor_id: 7,
  action: 'key_log.blocked',
  target,
  details: { name: target },
  created_at: 1_000,
});
const append = (...targets: string[]) => store.change((tx) => appendAudit(tx, targets.map(entry)));

/** Whoever holds the database itself. */
async function tamper(statement: string): Promise<void> {
  await store.change(async (tx) => {
    for (const operation of ['update', 'delete'])
      await sql.raw(`drop trigger audit_log_no_${operation}${onPostgres() ? ' on audit_log' : ''}`).execute(tx);
    await sql.raw(statement).execute(tx);
  });
}

describe('the audit log', () => {
  it('is one chain, whoever adds to it and how many at once', async () => {
    await append('a', 'b');
    await append('c');
    await append(...Array.from({ length: 1_200 }, (_, index) => `many ${index}`));
    expect(await findAuditBreak(store.reader)).toBeNull();
    const rows = await store.reader.selectFrom('audit_log').select(['target', 'details']).orderBy('id').execute();
    expect(rows.slice(0, 3).map(({ target, details }) => [target, details])).toEqual([
      ['a', '{"name":"a"}'],
      ['b', '{"name":"b"}'],
      ['c', '{"name":"c"}'],
    ]);
    expect(rows).toHaveLength(1_203);
  });

  it('may be empty', async () => {
    await append();
    expect(await findAuditBreak(store.reader)).toBeNull();
  });

  it('is not changed, and nothing is taken from it', async () => {
    await append('a');
    await expect(store.change((tx) => tx.updateTable('audit_log').set({ target: 'x' }).execute())).rejects.toThrow(
      'audit_log is only appended to',
    );
    await expect(store.change((tx) => tx.deleteFrom('audit_log').execute())).rejects.toThrow(
      'audit_log is only appended to',
    );
    expect(await findAuditBreak(store.reader)).toBeNull();
  });

  it.each([
    ['a changed word', `update audit_log set target = 'x' where id = 3`, 3],
    ['a changed time', 'update audit_log set created_at = 999 where id = 2', 2],
    ['another actor', 'update audit_log set actor_id = 8 where id = 4', 4],
    ['a row taken out', 'delete from audit_log where id = 2', 3],
    ['the first row taken out', 'delete from audit_log where id = 1', 2],
  ])('shows %s', async (_title, statement, broken) => {
    await append('a', 'b', 'c', 'd');
    await tamper(statement);
    expect(await findAuditBreak(store.reader)).toBe(broken);
  });
});

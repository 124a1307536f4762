import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { inAuditScope, noteAudit } from '../../../cloud/kernel/audit/audit-scope.js';
import type { CloudStore } from '../../../cloud/kernel/store/cloud-store.js';
import { openMigratedStore } from '../../world/migrated-store.js';
import { silentLogger } from '../../../shared/logger.js';
import { accountRow } from '../../conformance/account-row.js';
import { FakeClock } from '../../world/fake-clock.js';

let directory: string;
let store: CloudStore;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'audit-scope-'));
  store = await openMigratedStore({
    url: `sqlite:${join(directory, 'cloud.db')}`,
    clock: new FakeClock(),
    logger: silentLogger,
  });
});
afterEach(async () => {
  await store.close();
  rmSync(directory, { recursive: true });
});

const told = (made: number | string | undefined) => ({
  account_id: 1,
  actor_type: 'user' as const,
  actor_id: 2,
  action: 'thing.create',
  target: `thing ${made}`,
  details: { keys: ['name'] },
});
const targets = async () =>
  (await store.reader.selectFrom('audit_log').select('target').orderBy('id').execute()).map(({ target }) => target);
const createAccount = (name: string, made: number) =>
  store.change(async (tx) => {
    await tx.insertInto('accounts').values(accountRow(name)).execute();
    noteAudit({ made, details: { more: 1 } });
  });

describe('an audit scope', () => {
  it('is told by the first change in it, and by no other', async () => {
    await inAuditScope(told, async () => {
      await createAccount('A', 1);
      await createAccount('B', 2);
    });
    const [entry, ...others] = await store.reader.selectFrom('audit_log').selectAll().execute();
    expect(entry).toMatchObject({ target: 'thing 1', details: '{"keys":["name"],"more":1}' });
    expect(others).toEqual([]);
  });

  it('tells nothing of a change that came to nothing, and of the one that came about instead', async () => {
    await inAuditScope(told, async () => {
      const failing = store.change(async (tx) => {
        await tx.insertInto('accounts').values(accountRow('A')).execute();
        noteAudit({ made: 1 });
        throw new Error('no');
      });
      await expect(failing).rejects.toThrow('no');
      expect(await targets()).toEqual([]);
      await createAccount('A', 2);
    });
    expect(await targets()).toEqual(['thing 2']);
  });

  it('ends with its work: what it leaves running tells nothing', async () => {
    let later: Promise<void> | undefined;
    await inAuditScope(told, async () => {
      later = new Promise((resolve) => setImmediate(resolve)).then(() => createAccount('A', 1));
    });
    await later;
    expect(await store.reader.selectFrom('accounts').select('id').execute()).toHaveLength(1);
    expect(await targets()).toEqual([]);
  });

  it('is of its own work, however changes wait for each other', async () => {
    await Promise.all([
      createAccount('without', 9),
      ...[1, 2, 3].map((made) => inAuditScope(told, () => createAccount(`with ${made}`, made))),
      createAccount('without too', 9),
    ]);
    // Which of several writers is first, nobody knows.
    expect((await targets()).toSorted()).toEqual(['thing 1', 'thing 2', 'thing 3']);
  });
});

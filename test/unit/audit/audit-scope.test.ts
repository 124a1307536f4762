import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { inAuditScope, noteAudit, ownChange } from '../../../cloud/kernel/audit/audit-scope.js';
import type { Change, CloudStore } from '../../../cloud/kernel/store/cloud-store.js';
import { openMigratedStore } from '../../world/migrated-store.js';
import { silentLogger } from '../../../shared/logger.js';
import { accountRow } from '../../conformance/account-row.js';
import { FakeClock } from '../../world/fake-clock.js';

let directory: string;
let store: CloudStore;
const clock = new FakeClock();

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'audit-scope-'));
  store = await openMigratedStore({
    url: `sqlite:${join(directory, 'cloud.db')}`,
    clock,
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
const inScope = <T>(work: (change: Change) => Promise<T>): Promise<T> =>
  inAuditScope({ change: store.change, clock, entryOf: told }, work);
const targets = async () =>
  (await store.reader.selectFrom('audit_log').select('target').orderBy('id').execute()).map(({ target }) => target);
const createAccount = (change: Change, name: string, made: number) =>
  change(async (tx) => {
    await tx.insertInto('accounts').values(accountRow(name)).execute();
    if (made === 0) return;
    noteAudit(tx, { made });
    noteAudit(tx, { details: { more: 1 } });
  });
const names = async () =>
  (await store.reader.selectFrom('accounts').select('name').orderBy('id').execute()).map(({ name }) => name);

describe('an audit scope', () => {
  it('is told by the first change in it, and by no other', async () => {
    await inScope(async (change) => {
      await createAccount(change, 'A', 1);
      await createAccount(change, 'B', 0);
    });
    const [entry, ...others] = await store.reader.selectFrom('audit_log').selectAll().execute();
    expect(entry).toMatchObject({ target: 'thing 1', details: '{"keys":["name"],"more":1}' });
    expect(others).toEqual([]);
  });

  it('tells nothing of a change that came to nothing, and of the one that came about instead', async () => {
    await inScope(async (change) => {
      const failing = change(async (tx) => {
        await tx.insertInto('accounts').values(accountRow('A')).execute();
        noteAudit(tx, { made: 1 });
        throw new Error('no');
      });
      await expect(failing).rejects.toThrow('no');
      expect(await targets()).toEqual([]);
      await createAccount(change, 'A', 2);
    });
    expect(await targets()).toEqual(['thing 2']);
  });

  it('ends with its work: what it leaves running tells nothing', async () => {
    let later: Promise<void> | undefined;
    await inScope(async () => {
      later = new Promise((resolve) => setImmediate(resolve)).then(() => createAccount(store.change, 'A', 0));
    });
    await later;
    expect(await names()).toHaveLength(1);
    expect(await targets()).toEqual([]);
  });

  it('makes no change once its work is over', async () => {
    let kept: Change | undefined;
    await inScope(async (change) => void (kept = change));
    if (kept === undefined) throw new Error('it was given nothing');
    await expect(createAccount(kept, 'A', 1)).rejects.toThrow('is over');
    expect(await names()).toEqual([]);
  });

  it('is of its own work, however changes wait for each other', async () => {
    await Promise.all([
      createAccount(store.change, 'without', 0),
      ...[1, 2, 3].map((made) => inScope((change) => createAccount(change, `with ${made}`, made))),
      createAccount(ownChange(store), 'without too', 9),
    ]);
    // Which of several writers is first, nobody knows.
    expect((await targets()).toSorted()).toEqual(['thing 1', 'thing 2', 'thing 3']);
  });
});

describe('a note for the audit log', () => {
  it('outside a scope undoes its change, unless it is declared to be of the service', async () => {
    await expect(createAccount(store.change, 'A', 1)).rejects.toThrow('no audit entry');
    await createAccount(ownChange(store), 'B', 1);
    expect(await names()).toEqual(['B']);
    expect(await targets()).toEqual([]);
  });

  it('behind the entry of its scope undoes its change', async () => {
    await inScope(async (change) => {
      await createAccount(change, 'A', 1);
      await expect(createAccount(change, 'B', 2)).rejects.toThrow('no audit entry');
    });
    expect(await names()).toEqual(['A']);
    expect(await targets()).toEqual(['thing 1']);
  });
});

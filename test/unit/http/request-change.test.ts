import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { noteAudit, ownChange } from '../../../cloud/kernel/audit/audit-note.js';
import type { Change, CloudStore, Tx } from '../../../cloud/kernel/store/cloud-store.js';
import { inOneChange, type RequestSteps } from '../../../cloud/rest/request/request-change.js';
import { openMigratedStore } from '../../world/migrated-store.js';
import { silentLogger } from '../../../shared/logger.js';
import { accountRow } from '../../conformance/account-row.js';
import { FakeClock } from '../../world/fake-clock.js';

let directory: string;
let store: CloudStore;
const clock = new FakeClock();

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'request-change-'));
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

const auditEntry = (made: number | string | undefined) => ({
  account_id: 1,
  actor_type: 'user' as const,
  actor_id: 2,
  action: 'thing.create',
  target: `thing ${made}`,
  details: { keys: ['name'] },
  created_at: clock.now(),
});
const nothing = async () => {};
const inRequest = <T>(work: (change: Change) => Promise<T>, steps: Partial<RequestSteps> = {}): Promise<T> =>
  inOneChange({ change: store.change, beginKey: nothing, holdVersion: nothing, auditEntry, ...steps }, work);
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

describe('the change of a request', () => {
  it('has an audit entry, with what was noted', async () => {
    await inRequest((change) => createAccount(change, 'A', 1));
    const [entry, ...others] = await store.reader.selectFrom('audit_log').selectAll().execute();
    expect(entry).toMatchObject({ target: 'thing 1', details: '{"keys":["name"],"more":1}' });
    expect(others).toEqual([]);
  });

  it('is one transaction: key, version, work and entry in this order, or nothing of them', async () => {
    const steps: string[] = [];
    const step = (name: string) => async (tx: Tx) => {
      steps.push(name);
      await tx.insertInto('accounts').values(accountRow(name)).execute();
    };
    const own = { beginKey: step('key'), holdVersion: step('version') };
    await inRequest((change) => createAccount(change, 'work', 1), own);
    expect(await names()).toEqual(['key', 'version', 'work']);
    const refused = inRequest((change) => change(() => Promise.reject(new Error('no'))), own);
    await expect(refused).rejects.toThrow('no');
    const isRefused = { ...own, holdVersion: () => Promise.reject(new Error('other version')) };
    await expect(inRequest((change) => createAccount(change, 'late', 2), isRefused)).rejects.toThrow('other version');
    expect(steps).toEqual(['key', 'version', 'key', 'version', 'key']);
    expect(await names()).toEqual(['key', 'version', 'work']);
    expect(await targets()).toEqual(['thing 1']);
  });

  it('is one: a second is refused, whatever became of the first', async () => {
    await inRequest(async (change) => {
      await createAccount(change, 'A', 1);
      await expect(createAccount(change, 'B', 2)).rejects.toThrow('one change');
    });
    await inRequest(async (change) => {
      await expect(change(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
      await expect(createAccount(change, 'B', 2)).rejects.toThrow('one change');
    });
    expect(await names()).toEqual(['A']);
    expect(await targets()).toEqual(['thing 1']);
  });

  it('is made while the request is worked on', async () => {
    let kept: Change | undefined;
    await inRequest(async (change) => void (kept = change));
    if (kept === undefined) throw new Error('it was given nothing');
    await expect(createAccount(kept, 'A', 1)).rejects.toThrow('is over');
    expect(await names()).toEqual([]);
  });

  it('keeps its entry to itself, however changes wait for each other', async () => {
    await Promise.all([
      createAccount(store.change, 'without', 0),
      ...[1, 2, 3].map((made) => inRequest((change) => createAccount(change, `with ${made}`, made))),
      createAccount(ownChange(store), 'without too', 9),
    ]);
    // Which of several writers is first, nobody knows.
    expect((await targets()).toSorted()).toEqual(['thing 1', 'thing 2', 'thing 3']);
  });
});

it('a note for the audit log outside a request undoes its change, unless it is declared to be of the service', async () => {
  await expect(createAccount(store.change, 'A', 1)).rejects.toThrow('no audit entry');
  await createAccount(ownChange(store), 'B', 1);
  expect(await names()).toEqual(['B']);
  expect(await targets()).toEqual([]);
});

/** The chain of the audit log: who holds the database, and not the server's key, changes, adds and takes out nothing unseen. */
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CloudStore } from '../../../cloud/kernel/store/cloud-store.js';
import { verifyAudit } from '../../../cloud/kernel/audit/audit-chain-queries.js';
import { startAuditHeads } from '../../../cloud/kernel/audit/audit-heads.js';
import { appendAudit, type AuditEntry, findAuditHead } from '../../../cloud/kernel/audit/audit-log-queries.js';
import { insertRows } from '../../../cloud/kernel/store/rows-of-statement.js';
import { waitUntil } from '../../../scripts/sim/wait-until.js';
import { openMigratedStore, TEST_SECRETS } from '../../world/migrated-store.js';
import { onPostgres } from '../../world/postgres-databases.js';
import { encodeJson } from '../../../shared/json-text-codec.js';
import { silentLogger } from '../../../shared/logger.js';
import { FakeClock } from '../../world/fake-clock.js';

const KEY = TEST_SECRETS.derive('audit_log');

let directory: string;
let path: string;
let store: CloudStore;
const clock = new FakeClock();

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'audit-log-'));
  path = join(directory, 'cloud.db');
  store = await openMigratedStore({ url: `sqlite:${path}`, clock, logger: silentLogger });
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
const verify = (expected = {}) => verifyAudit(store.reader, KEY, expected);
const broken = async (expected = {}) => {
  const { broken: found } = await verify(expected);
  return found && [found.reason, found.id];
};

/** Whoever holds the database itself. */
async function tamper(...statements: string[]): Promise<void> {
  await store.change(async (tx) => {
    for (const operation of ['update', 'delete'])
      await sql.raw(`drop trigger audit_log_no_${operation}${onPostgres() ? ' on audit_log' : ''}`).execute(tx);
    for (const statement of statements) await sql.raw(statement).execute(tx);
  });
}

describe('the audit log', () => {
  it('is one chain, whoever adds to it and how many at once', async () => {
    await append('a', 'b');
    await append('c');
    await append(...Array.from({ length: 1_200 }, (_, index) => `many ${index}`));
    const head = await findAuditHead(store.reader);
    expect(await verify()).toEqual({ head, broken: null });
    const rows = await store.reader.selectFrom('audit_log').select(['id', 'target', 'details']).orderBy('id').execute();
    expect(rows.slice(0, 3).map(({ target, details }) => [target, details])).toEqual([
      ['a', '{"name":"a"}'],
      ['b', '{"name":"b"}'],
      ['c', '{"name":"c"}'],
    ]);
    expect(rows.map(({ id }) => id)).toEqual(rows.map((_, index) => index + 1));
    expect(head.entries).toBe(1_203);
  });

  it('numbers its entries without a gap, whatever came to nothing in between', async () => {
    await append('a');
    const failing = store.change(async (tx) => {
      await appendAudit(tx, [entry('b')]);
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    await append('c');
    expect(await verify()).toMatchObject({ head: { entries: 2 }, broken: null });
  });

  it('may be empty', async () => {
    await append();
    expect(await verify({ entries: 0, hash: '0'.repeat(64) })).toEqual({
      head: { entries: 0, hash: '0'.repeat(64) },
      broken: null,
    });
  });

  it('is not changed, and nothing is taken from it', async () => {
    await append('a');
    await expect(store.change((tx) => tx.updateTable('audit_log').set({ target: 'x' }).execute())).rejects.toThrow(
      'audit_log is only appended to',
    );
    await expect(store.change((tx) => tx.deleteFrom('audit_log').execute())).rejects.toThrow(
      'audit_log is only appended to',
    );
    expect(await broken()).toBeNull();
  });

  it.each([0, -5])('has no entry of the number %s: one that is there nevertheless is found', async (id) => {
    await append('a', 'b');
    const forged = { ...entry('forged'), id, lot_id: null, is_read: 0, details: '{}' };
    await store.change((tx) =>
      insertRows(tx, 'audit_log', [{ ...forged, previous_hash: 'x'.repeat(64), hash: 'y'.repeat(64) }]),
    );
    expect(await broken()).toEqual(['changed', id]);
  });

  it('is not written by a store without the key', async () => {
    const other = await openMigratedStore({ url: `sqlite:${path}`, clock, logger: silentLogger, derive: undefined });
    await expect(other.change((tx) => appendAudit(tx, [entry('a')]))).rejects.toThrow('without the key');
    await other.close();
  });
});

/** For each column, what somebody writes into it. */
const CHANGES: Record<string, string> = {
  id: '30',
  account_id: '2',
  lot_id: '5',
  actor_type: `'system'`,
  actor_id: '8',
  action: `'key_log.allowed'`,
  target: `'x'`,
  details: `'{"name": "c"}'`,
  is_read: '1',
  created_at: '999',
  previous_hash: `'${'a'.repeat(64)}'`,
  hash: `'${'b'.repeat(64)}'`,
};

describe('the chain shows', () => {
  it.each(Object.entries(CHANGES))('another %s, in the middle and at the end', async (column, value) => {
    await append('a', 'b', 'c', 'd');
    await tamper(`update audit_log set ${column} = ${value} where id = 3`);
    // A number that nobody had leaves its place, and the next entry is the first that does not fit.
    expect(await broken()).toEqual(column === 'id' ? ['missing', 4] : ['changed', 3]);
    expect((await verify()).head.entries).toBe(2);
  });

  it('each column that there is', async () => {
    await append('a');
    const row = await store.reader.selectFrom('audit_log').selectAll().executeTakeFirstOrThrow();
    expect(Object.keys(CHANGES).toSorted()).toEqual(Object.keys(row).toSorted());
    await tamper(...Object.entries(CHANGES).flatMap(([column, value]) => `update audit_log set ${column} = ${value}`));
    expect((await broken())?.[0]).toBe('changed');
  });

  it.each(Object.entries(CHANGES))('another %s of the only entry', async (column, value) => {
    await append('a');
    await tamper(`update audit_log set ${column} = ${value}`);
    expect((await broken())?.[0]).toBe('changed');
  });

  it.each([
    ['a row taken out', ['delete from audit_log where id = 2'], ['missing', 3]],
    [
      'a row taken out and the rest numbered anew',
      ['delete from audit_log where id = 2', 'update audit_log set id = id - 1 where id > 2'],
      ['changed', 2],
    ],
    ['the first row taken out', ['delete from audit_log where id = 1'], ['missing', 2]],
    ['all rows but the last taken out', ['delete from audit_log where id < 4'], ['missing', 4]],
    [
      'two rows that changed places',
      [
        'update audit_log set id = 20 where id = 2',
        'update audit_log set id = 2 where id = 3',
        'update audit_log set id = 3 where id = 20',
      ],
      ['changed', 2],
    ],
  ] as const)('%s', async (_title, statements, found) => {
    await append('a', 'b', 'c', 'd');
    await tamper(...statements);
    expect(await broken()).toEqual(found);
  });

  it('entries of somebody who knows how it is made, and not the key', async () => {
    await append('a', 'b');
    const { hash } = await findAuditHead(store.reader);
    const content = JSON.stringify([hash, 3, 1, null, 'user', 7, 'x', 'x', '{}', 0, 1_000]);
    const forged = createHash('sha256').update(content).digest('hex');
    const row = { ...entry('x'), id: 3, lot_id: null, action: 'x', details: encodeJson({}), is_read: 0 };
    const chained = { ...row, previous_hash: hash, hash: forged };
    await store.change((tx) => tx.insertInto('audit_log').values(chained).execute());
    expect(await broken()).toEqual(['changed', 3]);
  });

  it('a tail that was cut off, to whoever kept its head', async () => {
    await append('a', 'b', 'c', 'd');
    const kept = await findAuditHead(store.reader);
    await append('e');
    expect(await broken(kept)).toBeNull();
    await tamper('delete from audit_log where id >= 4');
    expect(await broken()).toBeNull();
    expect(await broken(kept)).toEqual(['cut_off', 4]);
    expect(await broken({ entries: kept.entries })).toEqual(['cut_off', 4]);
    expect(await broken({ hash: kept.hash })).toEqual(['cut_off', null]);
    // What was cut off is written anew by the service itself, with its key.
    await append('x', 'y');
    expect(await broken(kept)).toEqual(['other', 4]);
  });
});

describe('the heads of the audit log', () => {
  it('are in the log of the program hourly, which says when one is no longer held', async () => {
    const heads: unknown[] = [];
    const problems: unknown[] = [];
    const logger = {
      ...silentLogger,
      info: (fields: object, text: string) => void heads.push({ ...fields, text }),
      error: (fields: object) => void problems.push(fields),
    };
    await append('a', 'b');
    const first = await findAuditHead(store.reader);
    const upkeep = startAuditHeads({ store, clock, logger, isDue: () => true });
    await waitUntil('the head', () => heads.length === 1);
    await append('c');
    await clock.advance(3_600_000);
    await waitUntil('the next head', () => heads.length === 2);
    const second = await findAuditHead(store.reader);
    expect(heads).toEqual([first, second].map((head) => ({ ...head, text: 'head of the audit log' })));
    expect(problems).toEqual([]);
    await tamper('delete from audit_log where id = 3');
    await clock.advance(3_600_000);
    await waitUntil('the last head', () => heads.length === 3);
    expect(problems).toEqual([second]);
    await upkeep.close();
  });
});

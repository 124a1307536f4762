/** Long reads of a database: who waits for whom, and how they end. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type SqlBool, sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { silentLogger } from '../../../shared/logger.js';
import { type CloudStore, type Db, StoreError } from '../../../cloud/store/cloud-store.js';
import { FakeClock, settle } from '../../sim/world/fake-clock.js';
import { openMigratedStore } from '../../sim/world/migrated-store.js';

const nobodyLeaves = new AbortController().signal;

/** Counts for ever: no statement of it ends by itself. */
const endless = (db: Db): Promise<unknown> =>
  db
    .withRecursive('numbers(n)', (cte) =>
      cte.selectNoFrom(sql<number>`1`.as('n')).unionAll(cte.selectFrom('numbers').select(sql<number>`n + 1`.as('n'))),
    )
    .selectFrom('numbers')
    .select(({ fn }) => fn.countAll().as('count'))
    .where(sql<SqlBool>`n < 0`)
    .execute();

const quick = (db: Db) => db.selectNoFrom(sql<number>`1`.as('one')).executeTakeFirstOrThrow();

describe('reports', () => {
  let directory: string;
  let clock: FakeClock;
  let store: CloudStore;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'reports-'));
    clock = new FakeClock();
    store = await openMigratedStore({ url: `sqlite:${join(directory, 'cloud.db')}`, clock, logger: silentLogger });
  });
  afterEach(async () => {
    await store.close();
    await rm(directory, { recursive: true });
  });

  /** Resolves when the database works on it. */
  function begin(account_id: number, options: { kind?: 'page' | 'sum'; signal?: AbortSignal } = {}) {
    let begun = (): void => {};
    const isBegun = new Promise<void>((resolve) => (begun = resolve));
    const ended = store.report({ account_id, kind: 'page', signal: nobodyLeaves, ...options }, (db) => {
      begun();
      return endless(db);
    });
    // A test that does not await it wants it to end with the store.
    ended.catch(() => undefined);
    return { isBegun, ended };
  }

  const ask = (account_id: number, kind: 'page' | 'sum' = 'page') =>
    store.report({ account_id, kind, signal: nobodyLeaves }, quick);

  it('are ended after 30 s, and their connection works for the next', async () => {
    for (let time = 0; time < 3; time++) {
      const { isBegun, ended } = begin(1);
      await isBegun;
      await clock.advance(30_000);
      await expect(ended).rejects.toMatchObject({ code: 'stopped', message: expect.stringContaining('30 s') });
      expect(await ask(1)).toEqual({ one: 1 });
    }
    expect(clock.pending).toBe(0);
  });

  it('are ended when nobody waits for them any more, under way or waiting', async () => {
    const leaving = new AbortController();
    const running = begin(1, { signal: leaving.signal });
    const waiting = begin(1, { signal: leaving.signal });
    await running.isBegun;
    leaving.abort();
    for (const { ended } of [running, waiting]) await expect(ended).rejects.toMatchObject({ code: 'stopped' });
    expect(await ask(1)).toEqual({ one: 1 });
    expect(clock.pending).toBe(0);
  });

  it('of one account never make another one wait, nor pages for sums', async () => {
    const slow = [begin(1), begin(1), begin(1, { kind: 'sum' }), begin(1, { kind: 'sum' })];
    await Promise.all([slow[0]?.isBegun, slow[2]?.isBegun]);
    expect(await Promise.all([ask(2), ask(3), ask(2, 'sum'), ask(2)])).toHaveLength(4);
    await clock.advance(30_000);
    for (const { ended } of slow) await expect(ended).rejects.toBeInstanceOf(StoreError);
  });

  it('of two accounts that take all connections are ended for the third', async () => {
    const slow = [begin(1), begin(2)];
    await Promise.all(slow.map(({ isBegun }) => isBegun));
    const first = begin(1);
    await clock.advance(15_000);
    const third = ask(3);
    await clock.advance(15_000);
    expect(await third).toEqual({ one: 1 });
    await expect(first.ended).rejects.toMatchObject({ code: 'stopped' });
  });

  it('are refused at once when very many wait', async () => {
    const { isBegun } = begin(1);
    await isBegun;
    const waiting = Array.from({ length: 101 }, () => begin(1).ended);
    await expect(waiting.at(-1)).rejects.toMatchObject({ code: 'stopped', message: expect.stringContaining('wait') });
    expect(await ask(2)).toEqual({ one: 1 });
    await clock.advance(30_000);
    await Promise.allSettled(waiting);
    await settle();
    expect(clock.pending).toBe(0);
  });

  it('under way are ended when the store is closed', async () => {
    const { isBegun, ended } = begin(1);
    await isBegun;
    await Promise.all([store.close(), expect(ended).rejects.toBeInstanceOf(StoreError)]);
    await expect(ask(1)).rejects.toMatchObject({ code: 'closed' });
  });
});

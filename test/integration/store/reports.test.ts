/** Long reads of a database: who waits for whom, and how they end. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type SqlBool, sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { silentLogger } from '../../../shared/logger.js';
import { type CloudStore, type Db, StoreError } from '../../../cloud/kernel/store/cloud-store.js';
import { FakeClock, settle } from '../../world/fake-clock.js';
import { openMigratedStore } from '../../world/migrated-store.js';

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
    // By then connections that nobody uses have ended, and nobody looks for them any more.
    await clock.advance(20_000);
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
    // By then connections that nobody uses have ended, and nobody looks for them any more.
    await clock.advance(20_000);
    expect(clock.pending).toBe(0);
  });

  it('never make another account wait when they are of one, nor pages for sums', async () => {
    const slow = [begin(1), begin(1), begin(1, { kind: 'sum' }), begin(1, { kind: 'sum' })];
    await Promise.all([slow[0]?.isBegun, slow[2]?.isBegun]);
    expect(await Promise.all([ask(2), ask(3), ask(2, 'sum'), ask(2)])).toHaveLength(4);
    await clock.advance(30_000);
    for (const { ended } of slow) await expect(ended).rejects.toBeInstanceOf(StoreError);
  });

  it('are ended for a third account when those of two take all connections', async () => {
    const slow = [begin(1), begin(2)];
    await Promise.all(slow.map(({ isBegun }) => isBegun));
    const first = begin(1);
    await clock.advance(15_000);
    const third = ask(3);
    await clock.advance(15_000);
    expect(await third).toEqual({ one: 1 });
    await expect(first.ended).rejects.toMatchObject({ code: 'stopped' });
  });

  it('do not keep a third account waiting, list nor sum, when every sum of two accounts takes as long as it may', async () => {
    for (const kind of ['sum', 'page'] as const) {
      // They have more waiting all the time.
      const slow = [1, 2, 1, 2, 1, 2].map((account_id) => begin(account_id, { kind }));
      await Promise.all(slow.slice(0, 2).map(({ isBegun }) => isBegun));
      for (let time = 0; time < 3; time++) {
        expect(await ask(3, kind)).toEqual({ one: 1 });
        await clock.advance(9_000);
        slow.push(begin(1, { kind }), begin(2, { kind }));
      }
      await clock.advance(3_000);
      await slow[6]?.isBegun;
      // Those who took all that time have no place beyond the two, and whoever did not has.
      expect(await Promise.all([ask(4, kind), ask(3, kind)])).toEqual([{ one: 1 }, { one: 1 }]);
      await clock.advance(30_000);
      await Promise.allSettled(slow.map(({ ended }) => ended));
    }
  });

  it('hold the further place once for a third account that is slow itself', async () => {
    const slow = [begin(1), begin(2), begin(3)];
    await Promise.all(slow.map(({ isBegun }) => isBegun));
    await clock.advance(30_000);
    await Promise.allSettled(slow.map(({ ended }) => ended));
    const again = [begin(1), begin(2), begin(3)];
    await Promise.all(again.slice(0, 2).map(({ isBegun }) => isBegun));
    expect(await ask(4)).toEqual({ one: 1 });
    let hasBegun = false;
    void again[2]?.isBegun.then(() => (hasBegun = true));
    await settle();
    expect(hasBegun).toBe(false);
    await clock.advance(30_000);
    await Promise.allSettled(again.map(({ ended }) => ended));
  });

  it('are refused at once when very many wait', async () => {
    const { isBegun } = begin(1);
    await isBegun;
    const waiting = Array.from({ length: 101 }, () => begin(1).ended);
    await expect(waiting.at(-1)).rejects.toMatchObject({ code: 'stopped', message: expect.stringContaining('wait') });
    expect(await ask(2)).toEqual({ one: 1 });
    await clock.advance(30_000);
    await Promise.allSettled(waiting);
    // Connections come back in real time. Those that nobody uses end after a while, and then nobody looks for them any more.
    await expect
      .poll(async () => {
        await clock.advance(20_000);
        return clock.pending;
      })
      .toBe(0);
  });

  it('under way are ended when the store is closed', async () => {
    const { isBegun, ended } = begin(1);
    await isBegun;
    await Promise.all([store.close(), expect(ended).rejects.toBeInstanceOf(StoreError)]);
    await expect(ask(1)).rejects.toMatchObject({ code: 'closed' });
  });
});

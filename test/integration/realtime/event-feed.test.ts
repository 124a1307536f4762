import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from '../../property.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startEventFeed } from '../../../cloud/doors/realtime/event-feed.js';
import { type CloudStore, StoreError } from '../../../cloud/kernel/store/cloud-store.js';
import type { Peers } from '../../../cloud/kernel/store/peers.js';
import { openMigratedStore } from '../../world/migrated-store.js';
import { silentLogger } from '../../../shared/logger.js';
import { FakeClock } from '../../world/fake-clock.js';
import { waitUntil } from '../../../scripts/sim/wait-until.js';
import { type Site, seedSite, journalEvents } from '../http/http-site.js';
import { runs } from '../../depth.js';

/** Two processes of the cloud on one database, but for the processes. */
describe('the event feed', () => {
  let directory: string;
  let site: Site;
  const clock = new FakeClock();
  const stores: CloudStore[] = [];
  const feeds: { close(): void }[] = [];

  const open = async () => {
    const url = `sqlite:${join(directory, 'cloud.db')}`;
    const store = await openMigratedStore({ url, clock, logger: silentLogger });
    stores.push(store);
    return store;
  };
  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'event-feed-'));
    site = await seedSite(await open());
  });
  afterEach(async () => {
    for (const feed of feeds.splice(0)) feed.close();
    for (const store of stores.splice(0)) await store.close();
    rmSync(directory, { recursive: true });
  });

  /** What a feed delivers, in its order. */
  const feedOf = async (
    store: Parameters<typeof startEventFeed>[0]['store'],
    listening: { isWanted?: () => boolean; passed?: number[] } = {},
  ) => {
    const notified: { id: number | null; uuid: string }[] = [];
    const { isWanted = () => true, passed = [] } = listening;
    const feed = startEventFeed({
      store,
      clock,
      logger: silentLogger,
      isWanted,
      passed: (_account, upTo) => void passed.push(upTo),
      deliver: (events) => {
        for (const { id, payload } of events) {
          const { uuid } = (typeof payload === 'string' ? JSON.parse(payload) : payload) as { uuid: string };
          notified.push({ id, uuid });
        }
      },
    });
    feeds.push(feed);
    await feed.ready;
    return notified;
  };
  const idsOf = (notified: { id: number | null }[]) => notified.flatMap(({ id }) => (id === null ? [] : [id]));
  const north = (uuid: string, isKept = true) => ({
    account_id: site.harbour,
    lot_id: site.north,
    uuid,
    isKept,
  });
  const heard = (notified: unknown[], count: number) =>
    waitUntil(`${count} events`, async () => {
      await clock.advance(1_000);
      return notified.length >= count;
    });

  it('delivers each event once, in the order of the journal, whoever recorded it', async () => {
    const [first, second] = [stores[0] as CloudStore, await open()];
    const notified = [await feedOf(first), await feedOf(second)];
    let last = 0;
    const commit = fc.record({
      by: fc.nat(1),
      events: fc.integer({ min: 1, max: 3 }),
      awaited: fc.boolean(),
      second: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(commit, { minLength: 1, maxLength: 12 }), async (commits) => {
        const under: Promise<void>[] = [];
        for (const { by, events, awaited, second: passes } of commits) {
          const change = journalEvents(by === 0 ? first : second, ...Array.from({ length: events }, () => north('x')));
          last += events;
          if (awaited) await change;
          else under.push(change);
          if (passes) await clock.advance(1_000);
        }
        await Promise.all(under);
        for (const each of notified) {
          await heard(each, last);
          expect(idsOf(each)).toEqual(Array.from({ length: last }, (_, index) => index + 1));
        }
      }),
      // Each writer waits for the other's lock: few runs of many changes.
      { numRuns: runs(20), endOnFailure: true },
    );
  });

  it('begins with what comes, catches up on much, and passes what is not kept to its own process only', async () => {
    const [first, second] = [stores[0] as CloudStore, await open()];
    await journalEvents(first, north('before'));
    const notified = await feedOf(second);
    await journalEvents(second, north('own'), north('passing', false));
    await journalEvents(first, ...Array.from({ length: 1_200 }, () => north('foreign')), north('elsewhere', false));
    await journalEvents(second, north('last'));
    await heard(notified, 1_203);
    expect(notified.slice(0, 2).map(({ uuid }) => uuid)).toEqual(['own', 'passing']);
    expect(notified.at(-1)).toEqual({ id: 1_203, uuid: 'last' });
    expect(idsOf(notified)).toEqual(Array.from({ length: 1_202 }, (_, index) => index + 2));
  });

  it('passes what others journalled of accounts to which nobody listens, and goes on after it when somebody does', async () => {
    const [first, second] = [stores[0] as CloudStore, await open()];
    let isListening = false;
    const passed: number[] = [];
    const notified = await feedOf(second, { isWanted: () => isListening, passed });
    await journalEvents(first, north('1'), north('2'));
    await waitUntil('both to be passed', async () => {
      await clock.advance(1_000);
      return passed.includes(2);
    });
    await journalEvents(second, north('own'));
    await heard(notified, 1);
    isListening = true;
    await journalEvents(first, north('4'));
    await heard(notified, 2);
    expect(notified.map(({ id }) => id)).toEqual([3, 4]);
    expect(passed).toEqual([2]);
  });

  it('finds what other processes journalled and nobody told of', async () => {
    const [first, second] = [stores[0] as CloudStore, await open()];
    const peers = { notify() {}, onNotice: () => () => {} } as unknown as Peers;
    const notified = await feedOf({ ...second, peers, onForeignChange: () => () => {} });
    await journalEvents(first, north('1'), north('2'));
    await heard(notified, 2);
    expect(notified.map(({ uuid }) => uuid)).toEqual(['1', '2']);
  });

  it('goes on when the database does again', async () => {
    const [first, second] = [stores[0] as CloudStore, await open()];
    let fails = false;
    let refusals = 0;
    const refuse = (): void => {
      if (!fails) return;
      refusals += 1;
      throw new StoreError('locked', 'somebody else writes');
    };
    // The one where changes queue up, the other where they run side by side.
    const change: CloudStore['change'] = async (work) => {
      refuse();
      return second.change(work);
    };
    const reader = second.reader.withPlugin({
      transformQuery({ node }) {
        refuse();
        return node;
      },
      transformResult: async ({ result }) => result,
    });
    const notified = await feedOf({ ...second, change, reader });
    fails = true;
    await journalEvents(first, north('1'));
    await waitUntil('it to have tried twice', async () => {
      await clock.advance(1_000);
      return refusals > 1;
    });
    expect(notified).toEqual([]);
    fails = false;
    await heard(notified, 1);
    await journalEvents(second, north('2'));
    await heard(notified, 2);
    expect(notified.map(({ uuid }) => uuid)).toEqual(['1', '2']);
  });
});

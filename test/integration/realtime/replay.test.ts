import * as fc from '../../property.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startJournalRetention } from '../../../cloud/doors/realtime/journal-retention.js';
import type { NewRow } from '../../../cloud/kernel/store/schema.js';
import { pruneEvents } from '../../../cloud/kernel/store/journal-queries.js';
import { silentLogger } from '../../../shared/logger.js';
import { connectRealtime, type RealtimeClient } from './listening-client.js';
import {
  API_TOKEN,
  GUARD_TOKEN,
  OWNER_TOKEN,
  RIVAL_TOKEN,
  type Site,
  seedSite,
  journalEvents,
} from '../http/http-site.js';
import { type CloudWorld, startCloudWorld } from '../http/http-world.js';
import { runs } from '../../depth.js';

const numbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => String(from + index));

const RESYNC = { event: 'resync_required', data: '{}' };

describe('replay', () => {
  let cloud: CloudWorld;
  let site: Site;
  const clients: RealtimeClient[] = [];

  beforeEach(async () => {
    // Small pages, so that replays are of several.
    cloud = await startCloudWorld({ limits: { pageRows: 3, tailEventsMax: 4 } });
    site = await seedSite(cloud.store);
  });
  afterEach(async () => {
    for (const client of clients.splice(0)) client.socket.terminate();
    await cloud.close();
  });

  const resume = async (cursor: string, token = API_TOKEN) => {
    const client = await connectRealtime(cloud.base, {
      path: `/v2/realtime?last_event_id=${cursor}`,
      client: { headers: { authorization: `Bearer ${token}` } },
    });
    clients.push(client);
    return client;
  };
  const north = (uuid: string) => ({ account_id: site.harbour, lot_id: site.north, uuid });
  const journalNumbers = async (from: number, to: number) => {
    for (let number = from; number <= to; number++) await journalEvents(cloud.store, north(String(number)));
  };

  it('brings what was missed, in order, then goes live', async () => {
    await journalNumbers(1, 10);
    const client = await resume('4');
    await client.heard('10');
    await journalEvents(cloud.store, north('11'));
    await client.heard('11');
    // A connection that is cut during the replay resumes where it began.
    expect(client.frames[0]).toEqual({ event: 'authorized', data: '', id: '4' });
    expect(client.uuids()).toEqual(numbers(5, 11));
    expect(client.frames.slice(1).map(({ id }) => id)).toEqual(numbers(5, 11));
  });

  it('brings those of a deleted lot, too, to whom it was assigned; a live connection stays with it', async () => {
    await journalNumbers(1, 3);
    const live = await resume('3', GUARD_TOKEN);
    await cloud.store.change((tx) =>
      tx
        .insertInto('gateways')
        .values({
          account_id: site.harbour,
          lot_id: site.north,
          uuid: '0d3c2a54-5a1f-4b7e-9a51-3f1f6f0b7c01',
          name: 'Pi',
          status: 'online',
          slot: 1,
          slot_generation: 0,
          created_at: 1,
          updated_at: 1,
        } as NewRow<'gateways'>)
        .execute(),
    );
    const { status } = await cloud.ask('DELETE', `/v2/lots/${site.north}?confirm=North`, { token: OWNER_TOKEN });
    expect(status).toBe(200);
    await live.heard('0d3c2a54-5a1f-4b7e-9a51-3f1f6f0b7c01');
    const later = await resume('1', GUARD_TOKEN);
    await later.heard('0d3c2a54-5a1f-4b7e-9a51-3f1f6f0b7c01');
    expect(later.uuids()).toEqual(['2', '3', '0d3c2a54-5a1f-4b7e-9a51-3f1f6f0b7c01']);
  });

  it('has nothing to bring to who missed nothing', async () => {
    await journalNumbers(1, 3);
    const client = await resume('3');
    await client.until((frames) => frames.length > 0);
    await journalEvents(cloud.store, north('4'));
    await client.heard('4');
    expect(client.uuids()).toEqual(['4']);
  });

  it('keeps to the scope', async () => {
    await journalEvents(cloud.store, north('1'), { account_id: site.rival, lot_id: site.rivalLot, uuid: 'rival' });
    await journalEvents(cloud.store, { ...north('3'), lot_id: site.south }, north('4'), north('unkept'), north('6'));
    const guard = await resume('1', GUARD_TOKEN);
    await guard.heard('6');
    expect(guard.uuids()).toEqual(['4', 'unkept', '6']);
    const rival = await resume('1', RIVAL_TOKEN);
    await journalEvents(cloud.store, { account_id: site.rival, lot_id: site.rivalLot, uuid: 'live' });
    await rival.heard('live');
    expect(rival.uuids()).toEqual(['live']);
  });

  it('goes on after a restart of the cloud', async () => {
    await journalNumbers(1, 5);
    await cloud.restart();
    await journalNumbers(6, 7);
    const client = await resume('2');
    await client.heard('7');
    expect(client.uuids()).toEqual(numbers(3, 7));
  });

  it('pushes what is not journalled to live connections only', async () => {
    await journalNumbers(1, 1);
    const live = await resume('1');
    await journalNumbers(2, 2);
    // Whether replayed or live: it is live from then on.
    await live.heard('2');
    await journalEvents(cloud.store, { ...north('passing'), isKept: false }, north('3'));
    await live.heard('3');
    expect(live.frames.slice(1).map(({ data, id }) => [JSON.parse(data).uuid, id])).toEqual([
      ['2', '2'],
      ['passing', undefined],
      ['3', '3'],
    ]);
    const late = await resume('1');
    await late.heard('3');
    expect(late.uuids()).toEqual(['2', '3']);
  });

  it.each([
    ['no number', 'nonsense'],
    ['nothing', ''],
    ['negative', '-1'],
    ['of the future', '4000'],
    ['another spelling', '02'],
    ["another account's", '3'],
    ['beyond all numbers', '99999999999999999999'],
  ])('asks for a resync when the cursor is %s', async (_name, cursor) => {
    await journalNumbers(1, 2);
    await journalEvents(cloud.store, { account_id: site.rival, lot_id: site.rivalLot, uuid: 'rival' });
    const client = await resume(cursor);
    await client.until((frames) => frames.length === 2);
    await journalEvents(cloud.store, north('live'));
    await client.heard('live');
    expect(client.frames.slice(0, 2)).toEqual([{ event: 'authorized', data: '', id: '2' }, RESYNC]);
    expect(client.uuids()).toEqual(['live']);
    // A client that keeps the greeting's cursor, as it should, loses nothing by it.
    const again = await resume('2');
    await again.heard('live');
    expect(again.uuids()).toEqual(['live']);
  });

  it('greets first, however soon the client asks for something', async () => {
    await journalNumbers(1, 2);
    const client = await resume('1');
    client.socket.send(JSON.stringify({ event: 'subscribe', data: { lots: [site.north] } }));
    await client.until((frames) => frames.some(({ event }) => event === 'subscribed'));
    expect(client.frames[0]).toEqual({ event: 'authorized', data: '', id: '1' });
  });

  it('brings everything to who was greeted before the first event', async () => {
    const client = await connectRealtime(cloud.base, { client: { headers: { authorization: `Bearer ${API_TOKEN}` } } });
    await client.until((frames) => frames.length > 0);
    client.socket.terminate();
    const cursor = client.frames[0]?.id ?? '';
    expect(cursor).toBe('0');
    const early = await resume(cursor);
    await journalNumbers(1, 7);
    const late = await resume(cursor);
    for (const resumed of [early, late]) {
      await resumed.heard('7');
      expect(resumed.uuids()).toEqual(numbers(1, 7));
    }
    await cloud.store.change((tx) => pruneEvents(tx, { before: cloud.clock.now() + 1, limit: 2 }));
    const tooLate = await resume(cursor);
    await tooLate.until((frames) => frames.length === 2);
    expect(tooLate.frames[1]).toEqual(RESYNC);
  });

  it('misses and repeats nothing from the cursor of the greeting, whenever the connection is made', async () => {
    const least = { written: runs(150, 3, 40), heard: 4 };
    const heard: RealtimeClient[] = [];
    const progress = { written: 0, isOver: false };
    const writing = (async () => {
      while (progress.written < least.written || heard.length < least.heard) {
        progress.written += 1;
        await journalEvents(cloud.store, north(String(progress.written)));
      }
      progress.isOver = true;
    })();
    while (!progress.isOver) {
      const client = await connectRealtime(cloud.base, {
        client: { headers: { authorization: `Bearer ${API_TOKEN}` } },
      });
      clients.push(client);
      heard.push(client);
      await client.until((frames) => frames.length > 0);
    }
    await writing;
    const last = progress.written;
    await journalEvents(cloud.store, north('the end'));
    for (const client of heard) {
      await client.heard('the end');
      const from = Number(client.frames[0]?.id);
      expect(client.frames.slice(1).map(({ id }) => id)).toEqual(numbers(from + 1, last + 1));
    }
    // A cloud that starts on a journal greets with its newest event.
    await cloud.restart();
    const again = await connectRealtime(cloud.base, { client: { headers: { authorization: `Bearer ${API_TOKEN}` } } });
    clients.push(again);
    await again.until((frames) => frames.length > 0);
    expect(again.frames[0]?.id).toBe(String(last + 1));
  });

  it('asks for a resync when the journal does not reach back, and keeps the newest event of each account', async () => {
    const hour = 3_600_000;
    const retention = startJournalRetention({
      store: cloud.store,
      clock: cloud.clock,
      logger: silentLogger,
      retentionHours: 72,
    });
    await journalEvents(cloud.store, { account_id: site.rival, lot_id: site.rivalLot, uuid: 'rival 1' });
    await journalNumbers(2, 4);
    cloud.clock.jumpWall(50 * hour);
    await journalNumbers(5, 6);
    cloud.clock.jumpWall(23 * hour);
    await cloud.clock.advance(10 * 60_000);
    const kept = async () =>
      (await cloud.store.reader.selectFrom('events').select('id').orderBy('id').execute()).map(({ id }) => id);
    await expect.poll(kept).toEqual([1, 4, 5]);
    const old = await resume('3');
    await old.until((frames) => frames.length === 2);
    expect(old.frames[1]).toEqual(RESYNC);
    const young = await resume('4');
    await young.heard('6');
    expect(young.uuids()).toEqual(['6']);
    const quiet = await resume('1', RIVAL_TOKEN);
    await journalEvents(cloud.store, { account_id: site.rival, lot_id: site.rivalLot, uuid: 'rival 7' });
    await quiet.heard('rival 7');
    expect(quiet.uuids()).toEqual(['rival 7']);
    retention.cancel();
  });

  it('has no gap and no repeat, wherever it meets writers at work', async () => {
    await journalNumbers(1, 5);
    let last = 5;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 12 }),
        fc.nat({ max: 100 }),
        async (batches, resumeAt) => {
          const from = 1 + Math.floor((resumeAt / 101) * last);
          // Batches are written while the client connects and replays.
          const connected = resume(String(from));
          for (const size of batches) {
            const events = numbers(last + 1, last + size).map(north);
            last += size;
            await journalEvents(cloud.store, ...events);
          }
          const client = await connected;
          await client.heard(String(last));
          expect(client.uuids()).toEqual(numbers(from + 1, last));
          await client.close();
        },
      ),
      { numRuns: runs(40, 3, 8) },
    );
  });
});

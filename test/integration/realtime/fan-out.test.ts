import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { connectRealtime, type RealtimeClient } from './listening-client.js';
import { API_TOKEN, GUARD_TOKEN, type Site, seedSite } from '../http/http-site.js';
import { type CloudWorld, startCloudWorld } from '../http/http-world.js';
import { plateReadingPayload } from '../../contract/event-samples.js';
import { proves } from '../../contract/sending-rules.js';

const IMAGE = '0199a7c0-0000-7000-8000-0000000000f1';

const readings = (client: RealtimeClient) =>
  client.frames.flatMap(({ event, data }) =>
    event === 'plate_reading_create' ? [JSON.parse(data) as { id: number; image_url: string; color: string }] : [],
  );

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

describe('fan-out', () => {
  let cloud: CloudWorld;
  let site: Site;
  const clients: RealtimeClient[] = [];

  beforeEach(async () => {
    cloud = await startCloudWorld({ limits: { bufferedBytesMax: 64 * 1024, replayBufferedBytesMax: 16 * 1024 } });
    site = await seedSite(cloud.store);
  });
  afterEach(async () => {
    for (const client of clients.splice(0)) client.socket.terminate();
    await cloud.close();
  });

  const listen = async (token: string, query = '') => {
    const client = await connectRealtime(cloud.base, {
      path: `/v2/realtime${query}`,
      client: { headers: { authorization: `Bearer ${token}` } },
    });
    clients.push(client);
    await client.until((frames) => frames.length > 0);
    return client;
  };
  /** A plate read whose make is as long as the test wants. */
  const journalReading = (id: number, make: string) =>
    cloud.store.change(async (tx) =>
      tx.journal({
        account_id: site.harbour,
        lot_id: site.north,
        event: 'plate_reading_create',
        payload: plateReadingPayload({
          id,
          make,
          image_url: `image:${IMAGE}`,
          color: `"image_url":"image:${IMAGE}"`,
        }),
      }),
    );

  it(
    'signs picture links when it sends, live and replayed, and nothing that only looks like one',
    proves('every event: links'),
    async () => {
      const live = await listen(API_TOKEN);
      await journalReading(1, '');
      await journalReading(2, '');
      await live.until(() => readings(live).length === 2);
      cloud.clock.jumpWall(3_600_000);
      const late = await listen(GUARD_TOKEN, '?last_event_id=1');
      await late.until(() => readings(late).length === 1);
      const linkOf = (client: RealtimeClient) => new URL(readings(client).at(-1)?.image_url ?? '');
      expect(linkOf(live).pathname).toBe(`/v2/images/${IMAGE}`);
      const lifetimes = [linkOf(live), linkOf(late)].map((url) => Number(url.searchParams.get('expires')));
      expect((lifetimes[1] ?? 0) - (lifetimes[0] ?? 0)).toBe(3_600);
      expect(cloud.imageLinks.verify(linkParts(linkOf(late)))?.uid).toBe(IMAGE);
      expect(cloud.imageLinks.verify(linkParts(linkOf(live)))).toBeNull();
      expect(readings(late)[0]?.color).toBe(`"image_url":"image:${IMAGE}"`);
    },
  );

  it('closes who does not read with 4429 while all others get everything, and lets it resume', async () => {
    const [slow, fast, other] = [await listen(API_TOKEN), await listen(API_TOKEN), await listen(GUARD_TOKEN)];
    slow.socket.pause();
    let count = 0;
    const make = 'x'.repeat(256 * 1024);
    while (cloud.hub.size === 3) {
      count += 1;
      await journalReading(count, make);
      await Promise.all([fast, other].map((client) => client.until((frames) => frames.length === count + 1)));
      expect(count).toBeLessThan(400);
    }
    await journalReading(count + 1, 'after');
    await Promise.all([fast, other].map((client) => client.until((frames) => frames.length === count + 2)));
    for (const client of [fast, other]) expect(readings(client).map(({ id }) => id)).toEqual(upTo(count + 1));

    slow.socket.resume();
    expect(await slow.closed).toBe(4429);
    const heard = readings(slow).map(({ id }) => id);
    expect(heard).toEqual(upTo(heard.length));
    expect(heard.length).toBeLessThan(count);
    const resumed = await listen(API_TOKEN, `?last_event_id=${slow.frames.at(-1)?.id}`);
    await resumed.until((frames) => frames.length === 1 + count + 1 - heard.length);
    expect([...heard, ...readings(resumed).map(({ id }) => id)]).toEqual(upTo(count + 1));
  });

  it('replays at the speed of the client, however much there is', async () => {
    const make = 'x'.repeat(64 * 1024);
    for (let id = 1; id <= 200; id++) await journalReading(id, make);
    const client = await listen(API_TOKEN, '?last_event_id=1');
    client.socket.pause();
    // What the network does not take stays in the journal, not in memory.
    await journalReading(201, '');
    client.socket.resume();
    await client.until((frames) => frames.length === 201);
    expect(readings(client).map(({ id }) => id)).toEqual(upTo(201).slice(1));
  });

  it('closes a client that asks and asks, and reads no answer', async () => {
    const client = await listen(API_TOKEN);
    client.socket.pause();
    const nonsense = JSON.stringify({ event: 'subscribe', data: { ['x'.repeat(15_000)]: 1 } });
    while (cloud.hub.size === 1) {
      client.socket.send(nonsense);
      await new Promise((resolve) => setImmediate(resolve));
    }
    client.socket.resume();
    expect(await client.closed).toBe(1008);
  });

  it('forgets a client that is gone', async () => {
    const client = await listen(API_TOKEN);
    client.socket.terminate();
    await client.closed;
    await journalReading(1, '');
    const next = await listen(API_TOKEN);
    await journalReading(2, '');
    await next.until(() => readings(next).length === 1);
    await expect.poll(() => cloud.hub.size).toBe(1);
    next.socket.close();
    await once(next.socket, 'close');
  });
});

function linkParts(url: URL): { uid: string; expires: string; signature: string } {
  return {
    uid: url.pathname.split('/').at(-1) ?? '',
    expires: url.searchParams.get('expires') ?? '',
    signature: url.searchParams.get('signature') ?? '',
  };
}

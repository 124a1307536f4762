import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { pruneEvents } from '../../../cloud/kernel/store/journal-queries.js';
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
import { connectRealtime } from './listening-client.js';
import { plateReadingPayload } from '../../contract/event-samples.js';

interface Item {
  id: string;
  event: string;
  lot_id: number;
  data: Record<string, unknown>;
  created_at: string;
}

describe('GET /v2/events', () => {
  let cloud: CloudWorld;
  let site: Site;

  beforeEach(async () => {
    cloud = await startCloudWorld();
    site = await seedSite(cloud.store);
  });
  afterEach(() => cloud.close());

  const north = (uuid: string) => ({ account_id: site.harbour, lot_id: site.north, uuid });
  const south = (uuid: string) => ({ account_id: site.harbour, lot_id: site.south, uuid });
  const rival = (uuid: string) => ({ account_id: site.rival, lot_id: site.rivalLot, uuid });
  const events = async (query = '', token = API_TOKEN) => {
    const { status, body } = await cloud.ask('GET', `/v2/events${query}`, { token });
    expect({ status, errors: body.errors }).toEqual({ status: 200, errors: undefined });
    return body.data as Item[];
  };
  const uuids = async (query?: string, token?: string) => (await events(query, token)).map(({ data }) => data.uuid);

  it('answers the journal from the oldest kept, each with its cursor', async () => {
    await journalEvents(cloud.store, north('a'), { ...north('unkept'), isKept: false }, south('b'));
    expect(await events()).toEqual([
      {
        id: '1',
        event: 'gateway_status',
        lot_id: site.north,
        data: { uuid: 'a', status: 'online' },
        created_at: '2026-01-15T12:00:00.000Z',
      },
      {
        id: '2',
        event: 'gateway_status',
        lot_id: site.south,
        data: { uuid: 'b', status: 'online' },
        created_at: '2026-01-15T12:00:00.000Z',
      },
    ]);
  });

  it('pages by cursor, 100 at a time unless asked otherwise', async () => {
    const all = Array.from({ length: 250 }, (_, index) => String(index + 1));
    await journalEvents(cloud.store, ...all.map(north));
    expect(await uuids()).toEqual(all.slice(0, 100));
    expect(await uuids('?since=100&limit=120')).toEqual(all.slice(100, 220));
    expect(await uuids('?limit=1000')).toEqual(all);
    expect(await uuids('?since=249&limit=1')).toEqual(['250']);
    expect(await events('?since=250')).toEqual([]);
  });

  it('has the scope of the realtime connection', async () => {
    await journalEvents(cloud.store, rival('r'), north('n'), south('s'));
    expect(await uuids('', API_TOKEN)).toEqual(['n', 's']);
    expect(await uuids('', OWNER_TOKEN)).toEqual(['n', 's']);
    expect(await uuids('', GUARD_TOKEN)).toEqual(['n']);
    expect(await uuids('', RIVAL_TOKEN)).toEqual(['r']);
    // A cursor is the account's, also of a lot the user does not see.
    expect(await uuids('?since=2', GUARD_TOKEN)).toEqual([]);
    await cloud.store.change(async (tx) => void (await tx.deleteFrom('account_user_lots').execute()));
    expect(await uuids('', API_TOKEN)).toEqual(['n', 's']);
    expect(await events('', GUARD_TOKEN)).toEqual([]);
  });

  it.each([
    ['since=x', 'since'],
    ['since=', 'since'],
    ['since=02', 'since'],
    ['since=3', 'since'],
    ['since=99', 'since'],
    ['since=2&since=2', 'since'],
    ['limit=0', 'limit'],
    ['limit=1001', 'limit'],
    ['limit=many', 'limit'],
  ])('refuses %s', async (query, field) => {
    await journalEvents(cloud.store, rival('r'), north('n'));
    const { status, body } = await cloud.ask('GET', `/v2/events?${query}`, { token: API_TOKEN });
    expect(status).toBe(422);
    expect(body.errors).toMatchObject([{ code: 23, field }]);
  });

  it('knows 0, the cursor before the first event', async () => {
    expect(await uuids('?since=0')).toEqual([]);
    await journalEvents(cloud.store, north('a'), north('b'));
    expect(await uuids('?since=0')).toEqual(['a', 'b']);
  });

  it('knows a cursor as long as nothing after it is gone', async () => {
    await journalEvents(cloud.store, ...['1', '2', '3', '4'].map(north));
    await cloud.store.change((tx) => pruneEvents(tx, { before: cloud.clock.now() + 1, limit: 2 }));
    expect(await uuids()).toEqual(['3', '4']);
    expect(await uuids('?since=3')).toEqual(['4']);
    for (const gone of ['0', '1', '2']) {
      expect((await cloud.ask('GET', `/v2/events?since=${gone}`, { token: API_TOKEN })).status).toBe(422);
    }
  });

  it('needs a token', async () => {
    expect((await cloud.ask('GET', '/v2/events')).status).toBe(401);
  });

  it('signs picture links when it answers, and shows what the realtime connection shows', async () => {
    const client = await connectRealtime(cloud.base, { path: `/v2/realtime?token=${API_TOKEN}` });
    const image = '0199a7c0-0000-7000-8000-0000000000f1';
    await cloud.store.change(async (tx) =>
      tx.journal({
        account_id: site.harbour,
        lot_id: site.north,
        event: 'plate_reading_create',
        payload: plateReadingPayload({ image_url: `image:${image}` }),
      }),
    );
    await client.until((frames) => frames.length === 2);
    const [item] = await events();
    expect(item?.id).toBe(client.frames[1]?.id);
    expect(item?.data).toEqual(JSON.parse(client.frames[1]?.data ?? ''));
    const link = new URL(String(item?.data.image_url));
    const { expires = '', signature = '' } = Object.fromEntries(link.searchParams);
    expect(cloud.imageLinks.verify({ uid: image, expires, signature })?.uid).toBe(image);
    await client.close();
  });
});

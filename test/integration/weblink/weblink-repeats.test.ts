/** A press on the guest's page that is sent again: from the phone's next network, at the same time, to another process, after a crash. */
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { newWeblinkSchema } from '../../../cloud/guests/weblink/weblink-resource.js';
import { gatewayRow } from '../gateway/link-site.js';
import { type RestWorld, startRestWorld } from '../http/rest-world.js';
import { noteHeard } from '../product/note-heard.js';

const WLAN = '192.0.2.7';
const MOBILE = '198.51.100.1';
const DONE = [200, undefined];

let world: RestWorld;
let barrier: number;
let gateway: number;
let link: { id: string; token: string | null };
beforeAll(async () => {
  world = await startRestWorld({ trustedProxies: ['127.0.0.1'] });
  const { site, cloud } = world;
  gateway = await cloud.store.change(async (tx) => {
    const row = gatewayRow({ account_id: site.harbour, lot_id: site.north, slot: 1, name: 'Pi' });
    const online = { ...row, uuid: '0d3c2a54-5a1f-4b7e-9a51-3f1f6f0b7c01', status: 'online' as const };
    return (await tx.insertInto('gateways').values(online).returning('id').executeTakeFirstOrThrow()).id;
  });
  const product = { device_id: 'a4c138000001', zone_id: site.zone, name: 'Entry', product_type_id: 1 };
  barrier = (await world.post<{ id: number }>('/v2/products', { ...product, master_key: 'ab'.repeat(32) })).id;
});
afterAll(() => world.cloud.close());
beforeEach(async () => {
  const { cloud } = world;
  await cloud.clock.advance(60_000);
  await noteHeard({ ...cloud, ...cloud.commandParts }, barrier, { gateway_id: gateway, rssi: -60 });
  await cloud.store.change((tx) =>
    tx.updateTable('commands').set({ status: 'succeeded', ended_at: 1 }).where('ended_at', 'is', null).execute(),
  );
  cloud.commandParts.sent.length = 0;
  link = newWeblinkSchema.parse(
    await world.post('/v2/weblinks', { product_id: barrier, start_time: '2026-01-01T00:00:00Z' }),
  );
});

async function press(key: string, from: string, changed: { id?: string; token?: string; operation?: string } = {}) {
  const { id = link.id, token = link.token, operation = 'open' } = changed;
  const { status, body } = await world.cloud.ask('POST', `/v2/weblinks/${id}/operation`, {
    json: { token, operation },
    headers: { 'x-forwarded-for': from, 'idempotency-key': key },
  });
  return [status, body.errors?.[0]?.field ?? body.errors?.[0]?.code];
}
const sentCount = () => world.cloud.commandParts.sent.length;
const usedCount = async () => (await world.get<{ used_count: number }>(`/v2/weblinks/${link.id}`)).used_count;

it('moves the product once when the phone has another address by then', async () => {
  expect(await press('walk', WLAN)).toEqual(DONE);
  expect(await press('walk', MOBILE)).toEqual(DONE);
  expect([sentCount(), await usedCount()]).toEqual([1, 1]);
  expect(await press('walk', MOBILE, { operation: 'close' })).toEqual([422, 'idempotency_key']);
});

it('moves the product once when both come at one time', async () => {
  const answers = await Promise.all([WLAN, MOBILE, WLAN, MOBILE].map((from) => press('at-once', from)));
  expect(answers).toEqual([DONE, DONE, DONE, DONE]);
  expect([sentCount(), await usedCount()]).toEqual([1, 1]);
});

it('is kept from who does not have the token, and from other links', async () => {
  expect(await press('shared', WLAN)).toEqual(DONE);
  expect(await press('shared', WLAN, { token: 'wrong' })).toEqual([404, 6]);
  const other = newWeblinkSchema.parse(
    await world.post('/v2/weblinks', { product_id: barrier, start_time: '2026-01-01T00:00:00Z' }),
  );
  expect(await press('shared', WLAN, { id: other.id, token: other.token ?? '' })).toEqual([403, 214]);
  expect(await press('shared', WLAN, { id: 'a'.repeat(16) })).toEqual([404, 6]);
  expect(sentCount()).toBe(1);
});

it('does nothing while another process does it, and is told so, however often the address was refused', async () => {
  const { store, clock } = world.cloud;
  await press('other', WLAN);
  await store.change((tx) =>
    tx
      .updateTable('idempotency_keys')
      .set({ status: null, response: null, created_at: clock.now() })
      .where('key', '=', 'other')
      .execute(),
  );
  for (let times = 0; times < 11; times++) expect(await press('other', MOBILE)).toEqual([422, 'idempotency_key']);
  expect(sentCount()).toBe(1);
});

it('begins in the transaction that asks the product to move', async () => {
  const { store } = world.cloud;
  const { change } = store;
  const begun: unknown[] = [];
  store.change = (work) =>
    change(async (tx) => {
      const done = await work(tx);
      const moved = await tx.selectFrom('commands').select('event_id').where('ended_at', 'is', null).execute();
      const keys = await tx.selectFrom('idempotency_keys').select('caller').where('key', '=', 'early').execute();
      begun.push([moved.length, keys.map(({ caller }) => caller)]);
      return done;
    });
  try {
    expect(await press('early', WLAN)).toEqual(DONE);
  } finally {
    store.change = change;
  }
  const caller = `weblink ${link.id}`;
  expect(begun[0]).toEqual([1, [caller]]);
});

it('counts the use in the transaction that accepts the command', async () => {
  const { store } = world.cloud;
  const { change } = store;
  let seen: number[] | undefined;
  store.change = (work) =>
    change(async (tx) => {
      const done = await work(tx);
      const pending = await tx.selectFrom('commands').select('event_id').where('ended_at', 'is', null).execute();
      const [used] = await tx
        .selectFrom('weblinks')
        .select(['used_count', 'last_event_id'])
        .where('id', '=', link.id)
        .execute();
      if (pending.length > 0) seen ??= [used?.used_count ?? 0, Number(used?.last_event_id === pending[0]?.event_id)];
      return done;
    });
  try {
    expect(await press('one', WLAN)).toEqual(DONE);
  } finally {
    store.change = change;
  }
  expect(seen).toEqual([1, 1]);
});

it('a press that is refused because the product is busy is none of the ten a minute', async () => {
  expect(await press('first', WLAN)).toEqual(DONE);
  for (let times = 0; times < 12; times++) expect(await press(`busy-${times}`, WLAN)).toEqual([403, 214]);
  await world.cloud.store.change((tx) =>
    tx.updateTable('commands').set({ status: 'succeeded', ended_at: 1 }).where('ended_at', 'is', null).execute(),
  );
  expect(await press('second', WLAN)).toEqual(DONE);
});

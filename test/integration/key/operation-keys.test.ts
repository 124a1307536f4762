/** POST /v2/operation-keys, with a bearer and without one. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { GUARD_TOKEN } from '../http/http-site.js';
import { ADMIN_TOKEN, OWNER_TOKEN } from '../http/rest-world.js';
import { type KeyLog, type KeyWorld, mailsOf, startKeyWorld } from './key-site.js';
import { DAY_MS } from '../../../shared/durations.js';

const PATH = '/v2/operation-keys';

let world: KeyWorld;
beforeAll(async () => {
  world = await startKeyWorld({ publicPerMin: 4 });
});
afterAll(() => world.cloud.close());
beforeEach(() => world.cloud.store.change((tx) => tx.deleteFrom('mails').execute()));

const wanted = (changed: object = {}) => ({
  start_time: world.iso(0),
  products: ['a4c138000001'],
  receiver_emails: ['ana@guest.example'],
  ...changed,
});
const ask = (json: object, token?: string) =>
  world.cloud.ask('POST', PATH, { json, ...(token === undefined ? {} : { token }) });
const refused = async (json: object, token?: string) => {
  const { status, body } = await ask(json, token);
  return [status, ...(body.errors ?? []).map(({ code, field }) => `${code} ${field ?? ''}`.trim())];
};
const switchOn = (public_key_requests: number) =>
  world.cloud.store.change((tx) =>
    tx.updateTable('accounts').set({ public_key_requests }).where('id', '=', world.site.harbour).execute(),
  );

describe('keys that are asked for with a bearer', () => {
  it('are one for each product and receiver, and mailed to each receiver', async () => {
    const { barrier, gate, site } = world;
    const json = wanted({
      products: ['A4C138000001', String(gate), String(barrier)],
      receiver_emails: ['ana@guest.example', 'BOB@guest.example', 'Ana@guest.example'],
      end_time: world.iso(DAY_MS),
      is_unlimited: false,
    });
    const { status, text } = await ask(json, OWNER_TOKEN);
    expect([status, text]).toEqual([200, '{"email":"ana@guest.example,bob@guest.example","invited":true}']);
    const keys = await world.get<Record<string, unknown>[]>(PATH);
    expect(keys).toHaveLength(4);
    expect(keys[0]).toEqual({
      id: expect.any(Number),
      name: 'bob@guest.example',
      product_id: gate,
      sender_id: site.owner,
      operation_token_id: expect.any(Number),
      deleted_at: null,
      created_at: world.iso(0),
      updated_at: world.iso(0),
      receiver: { id: expect.any(Number), email: 'bob@guest.example', name: 'bob@guest.example' },
      sender: { id: site.owner, email: 'owner@harbour.example', name: 'owner@harbour.example' },
      product: {
        device_id: 'a4c138000002',
        latitude: null,
        longitude: null,
        product_type_id: 1,
        lot_id: site.south,
        zone_id: site.southZone,
        id: gate,
      },
      operation_token: expect.objectContaining({ status: 'active', is_unlimited: 0, end_time: world.iso(DAY_MS) }),
    });
    expect(await world.get<KeyLog[]>('/v2/key-logs')).toHaveLength(4);
    // The products are of two lots: two mails for each receiver.
    expect((await mailsOf(world)).map(({ receiver_email, lot_id }) => [receiver_email, lot_id])).toEqual([
      ['ana@guest.example', site.north],
      ['ana@guest.example', site.south],
      ['bob@guest.example', site.north],
      ['bob@guest.example', site.south],
    ]);
  });

  it('are refused as a whole for what is wrong with any of them', async () => {
    const { foreign, gate } = world;
    const before = await world.get<object[]>(`${PATH}?size=300`);
    expect(await refused(wanted({ products: ['a4c138000001', 'a4c1380000ee'] }), OWNER_TOKEN)).toEqual([
      422,
      '23 products.1',
    ]);
    expect(await refused(wanted({ products: [String(foreign)] }), OWNER_TOKEN)).toEqual([422, '23 products.0']);
    expect(await refused(wanted({ products: [String(gate)] }), ADMIN_TOKEN)).toEqual([422, '23 products.0']);
    expect(await refused(wanted({ receiver_emails: ['ana@guest.example', 'ana'] }), OWNER_TOKEN)).toEqual([
      422,
      '23 receiver_emails.1',
    ]);
    expect(await refused(wanted({ end_time: world.iso(0) }), OWNER_TOKEN)).toEqual([422, '23 end_time']);
    expect(await refused({ end_time: 'soon' }, OWNER_TOKEN)).toEqual([
      422,
      '23 start_time',
      '23 end_time',
      '23 products',
      '23 receiver_emails',
    ]);
    expect(await refused(wanted({ products: [], receiver_emails: [] }), OWNER_TOKEN)).toEqual([
      422,
      '23 products',
      '23 receiver_emails',
    ]);
    expect(await refused(wanted(), 'no-such-token')).toEqual([401, '1']);
    expect(await refused(wanted(), GUARD_TOKEN)).toEqual([403, '4']);
    expect(await world.get(`${PATH}?size=300`)).toHaveLength(before.length);
    expect(await mailsOf(world)).toEqual([]);
  });

  it('are a thousand at once, and no more', async () => {
    const receivers = (count: number) => Array.from({ length: count }, (_, at) => `guest${at}@many.example`);
    const products = ['a4c138000001', 'a4c138000002'];
    expect(await refused(wanted({ products, receiver_emails: receivers(501) }), OWNER_TOKEN)).toEqual([
      422,
      '23 receiver_emails',
    ]);
    expect(await refused(wanted({ products, receiver_emails: receivers(500) }), OWNER_TOKEN)).toEqual([200]);
    const { status, body } = await world.cloud.ask('GET', `${PATH}?filter=receiver_email:like:many.example`, {
      token: OWNER_TOKEN,
    });
    expect([status, (body as unknown as { meta: { total: number } }).meta.total]).toEqual([200, 1_000]);
    const tokens = await world.cloud.store.reader
      .selectFrom('operation_tokens')
      .innerJoin('weblinks', 'weblinks.operation_token_id', 'operation_tokens.id')
      .innerJoin('key_logs', 'key_logs.operation_token_id', 'operation_tokens.id')
      .innerJoin('operation_keys', 'operation_keys.operation_token_id', 'operation_tokens.id')
      .innerJoin('key_receivers', 'key_receivers.id', 'operation_keys.receiver_id')
      .select(['operation_tokens.product_id', 'weblinks.product_id as linked', 'key_logs.product_id as logged'])
      .select(['operation_keys.product_id as keyed', 'key_logs.receiver_identifier', 'key_receivers.email'])
      .where('key_receivers.email', 'like', '%many.example')
      .execute();
    expect(tokens).toHaveLength(1_000);
    const ids = await world.cloud.store.reader
      .selectFrom('key_logs')
      .select('id')
      .where('name', 'like', '%many.example')
      .execute();
    world.cloud.denied.length = 0;
    const outcomes = await world.patch<{ success: boolean }[]>('/v2/key-logs', {
      ids: ids.map(({ id }) => id),
      status: 'blocked',
    });
    expect(outcomes.filter(({ success }) => success)).toHaveLength(1_000);
    expect(world.cloud.denied.toSorted()).toEqual([world.barrier, world.gate]);
    for (const { product_id, linked, logged, keyed, receiver_identifier, email } of tokens)
      expect([linked, logged, keyed, receiver_identifier]).toEqual([product_id, product_id, product_id, email]);
  });
});

describe('keys that are asked for without a bearer', () => {
  it('are made only where the account has switched them on, for a day, and their links only open', async () => {
    expect(await refused(wanted())).toEqual([401, '1']);
    expect(await refused(wanted({ products: ['a4c1380000ee'] }))).toEqual([401, '1']);
    await switchOn(1);
    world.cloud.clock.jumpWall(60_000);
    await world.cloud.clock.advance(60_000);
    const json = wanted({ receiver_emails: ['stranger@guest.example'], end_time: world.iso(7 * DAY_MS) });
    expect(await refused(json)).toEqual([200]);
    expect(await refused(wanted({ products: ['a4c138000001', String(world.foreign)] }))).toEqual([401, '1']);
    const many = Array.from({ length: 21 }, (_, at) => `guest${at}@public.example`);
    expect(await refused(wanted({ receiver_emails: many }))).toEqual([422, '23 receiver_emails']);
    expect(await refused(wanted({ end_time: world.iso(0) }))).toEqual([422, '23 end_time']);
    // Four in a minute: this is one too many.
    expect((await ask(wanted())).status).toBe(429);
    expect(await refused(wanted(), OWNER_TOKEN)).toEqual([200]);
    const [key] = await world.get<Record<string, unknown>[]>(`${PATH}?filter=receiver_email:eq:stranger@guest.example`);
    expect(key).toMatchObject({
      sender: null,
      sender_id: null,
      operation_token: { end_time: new Date(Date.parse(json.start_time) + DAY_MS).toISOString() },
    });
    const { operations } = await world.cloud.store.reader
      .selectFrom('weblinks')
      .select('operations')
      .where('operation_token_id', '=', Number(key?.operation_token_id))
      .executeTakeFirstOrThrow();
    expect(operations).toBe('["open"]');
    await switchOn(0);
  });

  it('invite nobody when the day of the key is over, and say so', async () => {
    await switchOn(1);
    world.cloud.clock.jumpWall(60_000);
    await world.cloud.clock.advance(60_000);
    const json = wanted({ receiver_emails: ['late@guest.example'], start_time: world.iso(-1.4 * DAY_MS) });
    expect((await ask(json)).text).toBe('{"email":"late@guest.example","invited":false}');
    const [key] = await world.get<object[]>(`${PATH}?filter=receiver_email:eq:late@guest.example`);
    expect(key).toMatchObject({ operation_token: { status: 'expired', end_time: world.iso(-0.4 * DAY_MS) } });
    expect(await mailsOf(world)).toEqual([]);
    const lasting = { ...json, receiver_emails: ['early@guest.example'] };
    expect((await ask(lasting, OWNER_TOKEN)).text).toBe('{"email":"early@guest.example","invited":true}');
    await switchOn(0);
  });
});

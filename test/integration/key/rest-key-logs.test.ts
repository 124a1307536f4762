/** Key logs and operation tokens over REST: what is shown, which statuses follow which, and what becomes of the credentials. */
import * as nodeCrypto from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { expireTokens } from '../../../cloud/guests/guest-key/key-queries.js';
import { weblinkToken } from '../../../cloud/guests/weblink/weblink-tokens.js';
import { productDeviceIdSchema } from '../../../shared/ids.js';
import { decodeBase64url } from '../../../shared/product-protocol/base64url.js';
import { deriveProductKeys } from '../../../shared/product-protocol/keys.js';
import { createProtocolCrypto } from '../../../shared/product-protocol/protocol-crypto.js';
import { decodeToken, isTokenGenuine, NO_EXPIRY_S } from '../../../shared/product-protocol/token-codec.js';
import { GUARD_TOKEN } from '../http/http-site.js';
import { ADMIN_TOKEN, RIVAL_TOKEN } from '../http/rest-world.js';
import { type KeyLog, type KeyWorld, mailsOf, MASTER_KEY, startKeyWorld } from './key-site.js';
import { HOUR_MS } from '../../../shared/durations.js';

const PATH = '/v2/key-logs';
const crypto = createProtocolCrypto(nodeCrypto);

let world: KeyWorld;
beforeAll(async () => {
  world = await startKeyWorld();
});
afterAll(() => world.cloud.close());
beforeEach(() => {
  world.notified();
  world.cloud.denied.length = 0;
});

const guest = (changed: object = {}) => ({
  product_id: world.barrier,
  name: 'Ana',
  receiver_identifier: 'ana@guest.example',
  receiver_identifier_type: 'email',
  start_time: world.iso(-HOUR_MS),
  end_time: world.iso(HOUR_MS),
  ...changed,
});
const give = (changed: object = {}): Promise<KeyLog> => world.post<KeyLog>(PATH, guest(changed));
const plate = (changed: object = {}) =>
  give({ receiver_identifier: 'ZG 1-AA', receiver_identifier_type: 'license_plate', ...changed });
const statusesOf = async ({ id }: { id: number }) => {
  const { status, operation_token: token } = await world.get<KeyLog>(`${PATH}/${id}`);
  return `${status} ${token.status}`;
};

function tokenOf({ operation_token }: KeyLog, name: 'token_open' | 'token_close' | 'token_status') {
  const credential = operation_token[name as 'token_open'] as Record<string, string>;
  expect(Object.keys(credential)).toEqual(['token', 'status_key', 'challenge_key']);
  const bytes = decodeBase64url(credential.token ?? '') ?? new Uint8Array();
  const deviceId = productDeviceIdSchema.parse('a4c138000001');
  const masterKey = Buffer.from(MASTER_KEY, 'hex');
  const keys = deriveProductKeys(crypto, { masterKey, deviceId, pairingEpoch: 1 });
  return { isGenuine: isTokenGenuine(crypto, keys, bytes), token: decodeToken(bytes) };
}

describe('a key log', () => {
  it('is shown with its product, its token and who gave it', async () => {
    const { site, cloud, barrier } = world;
    const key = await give();
    const owner = await cloud.store.reader
      .selectFrom('account_users')
      .selectAll()
      .where('id', '=', site.owner)
      .executeTakeFirstOrThrow();
    expect(key).toEqual({
      id: key.id,
      name: 'Ana',
      sender_id: site.owner,
      product_id: barrier,
      operation_token_id: key.operation_token_id,
      receiver_identifier: 'ana@guest.example',
      receiver_identifier_type: 'email',
      status: 'active',
      deleted_at: null,
      created_at: world.iso(0),
      updated_at: world.iso(0),
      product: await world.get(`/v2/products/${barrier}`),
      operation_token: {
        id: key.operation_token_id,
        product_id: barrier,
        start_time: world.iso(-HOUR_MS),
        end_time: world.iso(HOUR_MS),
        status: 'active',
        used_count: 0,
        is_unlimited: 1,
        token_open: expect.any(Object),
        token_close: expect.any(Object),
        token_status: expect.any(Object),
        deleted_at: null,
        created_at: world.iso(0),
        updated_at: world.iso(0),
      },
      sender: {
        id: site.owner,
        account_id: site.harbour,
        account_user_role_id: 1,
        email: owner.email,
        name: owner.name,
        phone: owner.phone,
        deleted_at: null,
        created_at: new Date(owner.created_at).toISOString(),
        updated_at: new Date(owner.updated_at).toISOString(),
      },
      invitation: { status: 'queued', last_error: null, sent_at: null },
    });
    expect(await world.get(`${PATH}/${key.id}`)).toEqual(key);
    expect((await mailsOf(world)).at(-1)?.content).toMatchObject({ place: 'North' });
  });

  it('has credentials of the guests, for the window that was asked for', async () => {
    const key = await give();
    const start = Math.floor(Date.parse(String(guest().start_time)) / 1_000);
    for (const op of ['open', 'close', 'status'] as const) {
      expect(tokenOf(key, `token_${op}`)).toMatchObject({
        isGenuine: true,
        token: { op, slot: 16, gen: 0, notBeforeS: start, expiresS: start + 7_200 },
      });
    }
    const open = await give({ end_time: null });
    expect(tokenOf(open, 'token_open')).toMatchObject({ token: { expiresS: NO_EXPIRY_S } });
    expect(open.operation_token).toMatchObject({ end_time: null });
  });

  it('has none of a product without a master key', async () => {
    const { site } = world;
    const { id } = await world.post<{ id: number }>('/v2/products', {
      device_id: 'a4c1380000aa',
      zone_id: site.zone,
      name: 'Unpaired',
      product_type_id: 1,
    });
    const key = await give({ product_id: id });
    expect(key.operation_token.token_open).toEqual({ token: '', status_key: '', challenge_key: '' });
    await world.remove(`/v2/products/${id}`);
    expect(await world.get(`${PATH}/${key.id}`)).toMatchObject({ status: 'invalid', product: null });
    const set = (status: string) => world.refused('PATCH', `${PATH}/${key.id}`, { status });
    expect(await set('active')).toEqual([422, '23 status']);
    expect(await set('blocked')).toEqual([200]);
    expect(await statusesOf(key)).toBe('blocked blocked');
    expect(await set('reactived')).toEqual([422, '23 status']);
    expect(await set('deleted')).toEqual([200]);
  });

  it('is given to an address, a telephone number or a plate, and to nothing else', async () => {
    const refused = (changed: object) => world.refused('POST', PATH, guest(changed));
    expect(await give({ receiver_identifier: 'ANA@Guest.example' })).toMatchObject({
      receiver_identifier: 'ana@guest.example',
    });
    expect(await give({ receiver_identifier: '"ana h"@žana.example' })).toMatchObject({ status: 'active' });
    const phone = { receiver_identifier: '+385 21 123456', receiver_identifier_type: 'phone' };
    expect(await give(phone)).toMatchObject({ ...phone, invitation: null });
    expect(await plate()).toMatchObject({ receiver_identifier: 'ZG 1-AA', invitation: null });
    for (const receiver_identifier of [
      'ana',
      'ana@guest.example\r\nBcc: eve@guest.example',
      `${'a'.repeat(255)}@b.example`,
    ])
      expect(await refused({ receiver_identifier })).toEqual([422, '23 receiver_identifier']);
    expect(await refused({ receiver_identifier_type: 'fax' })).toEqual([422, '23 receiver_identifier_type']);
    expect(await refused({ end_time: world.iso(-2 * HOUR_MS) })).toEqual([422, '23 end_time']);
    expect(await refused({ end_time: guest().start_time })).toEqual([422, '23 end_time']);
    for (const product_id of [999_999, world.foreign])
      expect(await refused({ product_id })).toEqual([422, '23 product_id']);
    const { start_time: _start, ...rest } = guest();
    expect(await world.refused('POST', PATH, { ...rest, status: 'active' })).toEqual([
      422,
      '23 start_time',
      '23 status',
    ]);
  });

  it('whose window is over is expired from the beginning, and nobody is mailed', async () => {
    const before = (await mailsOf(world)).length;
    const over = await give({ start_time: '2020-01-01T00:00:00Z', end_time: '2020-01-02T00:00:00Z' });
    expect(over).toMatchObject({ status: 'expired', operation_token: { status: 'expired' }, invitation: null });
    expect(await world.refused('PATCH', `${PATH}/${over.id}`, { status: 'reactived' })).toEqual([422, '23 status']);
    expect(await mailsOf(world)).toHaveLength(before);
  });

  it('brings a mail with a link, which opens with the key and no longer', async () => {
    const { cloud, iso } = world;
    await cloud.store.change((tx) => tx.deleteFrom('mails').execute());
    const key = await give({ receiver_identifier: 'link@guest.example' });
    const [mail] = await mailsOf(world);
    expect(mail).toMatchObject({
      kind: 'key',
      receiver_email: 'link@guest.example',
      account_id: world.site.harbour,
      lot_id: world.site.north,
      content: { account_name: 'Harbour', timezone: 'Europe/Zagreb', end_time: Date.parse(iso(HOUR_MS)) },
    });
    const [{ weblink }] = (mail?.content.products ?? []) as [{ weblink: { id: string; generation: number } }];
    const status = () =>
      world.refused('POST', `/v2/weblinks/${weblink.id}/status`, { token: weblinkToken(cloud.secrets, weblink) });
    expect(await status()).toEqual([200]);
    await world.patch(`${PATH}/${key.id}`, { status: 'blocked' });
    expect(await status()).toEqual([404, '6']);
    await world.patch(`${PATH}/${key.id}`, { status: 'reactived' });
    expect(await status()).toEqual([200]);
    await world.remove(`${PATH}/${key.id}`);
    expect(await status()).toEqual([404, '6']);
    expect(await world.refused('GET', `/v2/weblinks/${weblink.id}`)).toEqual([404, '6']);
  });
});

describe('the page of a key', () => {
  it('tells the end of a key whose window is over, and nothing of one that somebody ended', async () => {
    const { cloud } = world;
    await cloud.store.change((tx) => tx.deleteFrom('mails').execute());
    const key = await give({ receiver_identifier: 'page@guest.example' });
    const [mail] = await mailsOf(world);
    const [{ weblink }] = (mail?.content.products ?? []) as [{ weblink: { id: string; generation: number } }];
    const page = async () => {
      const body = JSON.stringify({ token: weblinkToken(cloud.secrets, weblink) });
      const answer = await fetch(`${cloud.base}/weblinks/${weblink.id}`, {
        method: 'POST',
        body,
        headers: { 'content-type': 'application/json' },
      });
      const { data } = (await answer.json()) as { data?: { window: { phase: string } } };
      return data?.window.phase ?? answer.status;
    };
    expect(await page()).toBe('open');
    for (const status of ['depleted', 'expired', 'blocked', 'invalid'] as const) {
      await world.patch(`${PATH}/${key.id}`, { status });
      expect([status, await page()]).toEqual([status, 404]);
      if (status !== 'invalid') await world.patch(`${PATH}/${key.id}`, { status: 'reactived' });
    }
    const over = await give({ receiver_identifier: 'over@guest.example', end_time: world.iso(1_000) });
    const [, second] = await mailsOf(world);
    const [{ weblink: other }] = (second?.content.products ?? []) as [{ weblink: object }];
    Object.assign(weblink, other);
    cloud.clock.jumpWall(2_000);
    expect(await page()).toBe('after');
    await cloud.store.change((tx) => expireTokens(tx, cloud.clock.now()));
    expect(await statusesOf(over)).toBe('expired expired');
    expect(await page()).toBe('after');
  });
});

describe('the status of a key log', () => {
  it('is never other than that of its token, whatever is set', async () => {
    const key = await give();
    const path = `${PATH}/${key.id}`;
    const seen: string[] = [];
    for (const status of ['blocked', 'reactived', 'depleted', 'active', 'expired', 'reactived', 'invalid']) {
      expect(await world.patch<KeyLog>(path, { status })).toMatchObject({ status });
      seen.push(await statusesOf(key));
    }
    expect(seen).toEqual([
      'blocked blocked',
      'reactived active',
      'depleted expired',
      'active active',
      'expired expired',
      'reactived active',
      'invalid invalid',
    ]);
    expect(await world.refused('PATCH', path, { status: 'active' })).toEqual([422, '23 status']);
    expect(await world.refused('PATCH', path, { status: 'gone', colour: 1 })).toEqual([422, '23 status', '23 colour']);
    const renamed = await world.patch<KeyLog>(path, { name: 'Ana H.' });
    expect(renamed).toMatchObject({ name: 'Ana H.', status: 'invalid' });
  });

  it('follows its token when that ends by itself', async () => {
    const { cloud } = world;
    const key = await give({ end_time: world.iso(1_000) });
    cloud.clock.jumpWall(2_000);
    await cloud.store.change((tx) => expireTokens(tx, cloud.clock.now()));
    expect(await statusesOf(key)).toBe('expired expired');
  });

  it('is final once it is deleted', async () => {
    for (const remove of [
      (id: number) => world.remove<KeyLog>(`${PATH}/${id}`),
      (id: number) => world.patch<KeyLog>(`${PATH}/${id}`, { status: 'deleted' }),
    ]) {
      const key = await give();
      const gone = await remove(key.id);
      expect(gone).toMatchObject({
        status: 'deleted',
        deleted_at: world.iso(0),
        operation_token: { status: 'blocked' },
      });
      for (const method of ['GET', 'PATCH', 'DELETE']) {
        const body = method === 'PATCH' ? { status: 'active' } : undefined;
        expect(await world.refused(method, `${PATH}/${key.id}`, body)).toEqual([404, '6']);
      }
      expect(await world.ids(PATH)).not.toContain(key.id);
      expect((await world.get<{ id: number }[]>('/v2/operation-keys')).map(({ id }) => id)).not.toContain(key.id);
    }
  });

  it('gives a key that is active again other credentials, and has the old ones denied', async () => {
    const key = await give();
    const path = `${PATH}/${key.id}`;
    const delivery = () => world.get(`/v2/operation-tokens/${key.operation_token_id}/delivery`);
    expect(await delivery()).toEqual({ state: 'none', delivered_at: null });
    expect(await world.patch(path, { status: 'blocked' })).toMatchObject({
      operation_token: { token_open: { token: '' } },
    });
    expect(await delivery()).toEqual({ state: 'pending', delivered_at: null });
    expect(world.cloud.denied).toEqual([world.barrier]);
    const again = await world.patch<KeyLog>(path, { status: 'reactived' });
    expect(tokenOf(again, 'token_open').isGenuine).toBe(true);
    expect(tokenOf(again, 'token_open').token?.id).not.toBe(tokenOf(key, 'token_open').token?.id);
    expect(await delivery()).toEqual({ state: 'none', delivered_at: null });
    const denials = await world.cloud.store.reader
      .selectFrom('token_denials')
      .select(['credential_id', 'delivered_at'])
      .where('operation_token_id', '=', key.operation_token_id)
      .execute();
    expect(denials).toEqual([{ credential_id: tokenOf(key, 'token_open').token?.id, delivered_at: null }]);
  });

  it('is told to the gateways of its lot at every change when it is of a plate', async () => {
    const { site } = world;
    const key = await plate();
    expect(world.notified()).toEqual([site.north]);
    await world.patch(`${PATH}/${key.id}`, { status: 'blocked' });
    expect(world.notified()).toEqual([site.north]);
    await world.remove(`${PATH}/${key.id}`);
    expect(world.notified()).toEqual([site.north]);
    await give();
    expect(world.notified()).toEqual([]);
  });
});

describe('several key logs at once', () => {
  it('are changed one by one, and answered in the order asked', async () => {
    const [one, two] = [await give(), await give({ end_time: null })];
    await world.remove(`${PATH}/${(await give()).id}`);
    const foreign = 999_999;
    const ids = [two.id, foreign, one.id, two.id];
    const changed = await world.patch(PATH, { ids, status: 'blocked', name: 'Crew' });
    expect(changed).toEqual(ids.map((id) => ({ success: id !== foreign, id })));
    expect(await statusesOf(one)).toBe('blocked blocked');
    await world.patch(`${PATH}/${two.id}`, { status: 'invalid' });
    expect(await world.patch(PATH, { ids: [one.id, two.id], status: 'active', name: 'Again' })).toEqual([
      { success: true, id: one.id },
      { success: false, id: two.id },
    ]);
    expect([await world.get(`${PATH}/${one.id}`), await world.get(`${PATH}/${two.id}`)]).toMatchObject([
      { name: 'Again', status: 'active' },
      { name: 'Crew', status: 'invalid' },
    ]);
    expect(await world.refused('PATCH', PATH, { ids: [] })).toEqual([422, '23 ids']);
    expect(await world.refused('PATCH', PATH, { ids: ['1'], status: 'x' })).toEqual([422, '23 status', '23 ids.0']);
  });

  it.each(['/v2/key-logs/resend', '/v2/key-invitations/resend'])('are mailed again by %s', async (path) => {
    const { cloud } = world;
    const keys = [await give(), await plate(), await give({ receiver_identifier: 'bob@guest.example' })];
    await world.patch(`${PATH}/${keys[2]?.id}`, { status: 'blocked' });
    await cloud.store.change((tx) => tx.deleteFrom('mails').execute());
    const ids = [...keys.map(({ id }) => id), 999_999];
    expect(await world.post(path, { ids })).toEqual(ids.map((id, at) => ({ success: at === 0, id })));
    const mails = await mailsOf(world);
    expect(mails.map(({ receiver_email }) => receiver_email)).toEqual(['ana@guest.example']);
    expect(await world.refused('POST', path, {})).toEqual([422, '23 ids']);
  });
});

describe('keys of a site file', () => {
  it('are mailed again over REST', async () => {
    const { cloud } = world;
    const key = await give({ receiver_identifier: 'file@guest.example', name: 'File' });
    // The keys of a site file have none.
    await cloud.store.change((tx) =>
      tx.deleteFrom('operation_keys').where('operation_token_id', '=', key.operation_token_id).execute(),
    );
    await cloud.store.change((tx) => tx.deleteFrom('mails').execute());
    for (let time = 0; time < 2; time++)
      expect(await world.post('/v2/key-logs/resend', { ids: [key.id] })).toEqual([{ success: true, id: key.id }]);
    const links = (await mailsOf(world)).map(
      ({ content }) => (content.products as { weblink: { id: string } }[])[0]?.weblink.id,
    );
    expect(links).toHaveLength(2);
    expect(new Set(links).size).toBe(1);
    const link = await cloud.store.reader
      .selectFrom('weblinks')
      .selectAll()
      .where('operation_token_id', '=', key.operation_token_id)
      .executeTakeFirstOrThrow();
    expect(link).toMatchObject({
      id: links[0],
      operations: '["open","close"]',
      start_time: Date.parse(world.iso(-HOUR_MS)),
    });
  });
});

describe('the lists of keys', () => {
  it('filter by whose they are, and by what they are of', async () => {
    const { site, barrier, gate } = world;
    const northern = await give({ receiver_identifier: 'north@list.example', name: 'List A' });
    const southern = await give({ product_id: gate, receiver_identifier: 'south@list.example', name: 'List B' });
    const ids = (filter: string, path = PATH) => world.ids(`${path}?size=300&filter=name:like:List&filter=${filter}`);
    const both = [southern.id, northern.id];
    for (const [filter, expected] of [
      [`account_id:eq:${site.harbour}`, both],
      [`lot_id:eq:${site.north}`, [northern.id]],
      [`zone_id:eq:${site.southZone}`, [southern.id]],
      [`product_id:eq:${barrier}`, [northern.id]],
      ['receiver_email:eq:north@list.example', [northern.id]],
      ['receiver_identifier:like:south', [southern.id]],
      ['receiver_identifier_type:eq:plate', 422],
      ['receiver_identifier_type:eq:email', both],
      [`sender_id:eq:${site.owner}`, both],
      ['sender_email:eq:owner@harbour.example', both],
      ['status:eq:active', both],
      ['status:neq:active', []],
      [`date_from:eq:${world.iso(0)}`, []],
      [`date_to:eq:${world.iso(0)}`, both],
    ] as const) {
      if (expected === 422) expect((await world.refused('GET', `${PATH}?filter=${filter}`))[0]).toBe(422);
      else expect([filter, await ids(filter)]).toEqual([filter, expected]);
    }
    const { receiver } = (
      await world.get<{ receiver: { id: number } }[]>('/v2/operation-keys?filter=receiver_email:eq:north@list.example')
    )[0] ?? { receiver: { id: 0 } };
    expect(await ids(`receiver_id:eq:${receiver.id}`)).toEqual([northern.id]);
    expect(await world.ids(`${PATH}?filter=name:like:List&sort=name:asc`)).toEqual([northern.id, southern.id]);
    const people = await world.get<object[]>(`${PATH}/receiver-emails?filter=email:like:list.example&sort=email:asc`);
    expect(people).toEqual([
      { id: receiver.id, email: 'north@list.example', name: 'List A' },
      { id: expect.any(Number), email: 'south@list.example', name: 'List B' },
    ]);
  });

  it('show operation tokens with their products, by the names of these', async () => {
    const { barrier, gate } = world;
    const key = await give({ product_id: gate });
    const tokens = await world.get<Record<string, unknown>[]>('/v2/operation-tokens?size=300&sort=name:desc');
    expect(tokens[0]).toMatchObject({ product: { device_id: 'a4c138000002', id: gate } });
    const [found] = await world.get<Record<string, unknown>[]>(`/v2/operation-tokens?filter=product_id:eq:${gate}`);
    expect(found).toEqual({ ...key.operation_token, product: { device_id: 'a4c138000002', id: gate } });
    expect(
      await world.ids(`/v2/operation-tokens?filter=status:eq:active&filter=product_id:eq:${barrier}`),
    ).not.toContain(key.operation_token_id);
    expect(await world.refused('GET', '/v2/operation-tokens?filter=name:eq:x')).toEqual([422, '23 filter']);
  });

  it('are not for attendants, nor for another account, nor for who has not the lot', async () => {
    const { gate } = world;
    const northern = await give();
    const southern = await give({ product_id: gate });
    for (const path of [PATH, `${PATH}/receiver-emails`, '/v2/operation-keys', '/v2/operation-tokens'])
      expect([path, await world.refused('GET', path, undefined, GUARD_TOKEN)]).toEqual([path, [403, '4']]);
    for (const [method, path, body] of [
      ['POST', PATH, guest()],
      ['PATCH', PATH, { ids: [northern.id], name: 'x' }],
      ['PATCH', `${PATH}/${northern.id}`, { name: 'x' }],
      ['DELETE', `${PATH}/${northern.id}`, undefined],
      ['POST', `${PATH}/resend`, { ids: [northern.id] }],
      ['GET', `/v2/operation-tokens/${northern.operation_token_id}/delivery`, undefined],
    ] as const)
      expect([path, await world.refused(method, path, body, GUARD_TOKEN)]).toEqual([path, [403, '4']]);
    expect(await world.get(PATH, RIVAL_TOKEN)).toEqual([]);
    expect(await world.refused('GET', `${PATH}/${northern.id}`, undefined, RIVAL_TOKEN)).toEqual([404, '6']);
    expect(await world.ids(`${PATH}?size=300`, ADMIN_TOKEN)).not.toContain(southern.id);
    expect(await world.ids(`${PATH}?size=300`, ADMIN_TOKEN)).toContain(northern.id);
    expect(await world.refused('POST', PATH, guest({ product_id: gate }), ADMIN_TOKEN)).toEqual([422, '23 product_id']);
    const changed = await world.patch(PATH, { ids: [northern.id, southern.id], name: 'Seen' }, ADMIN_TOKEN);
    expect(changed).toEqual([
      { success: true, id: northern.id },
      { success: false, id: southern.id },
    ]);
  });

  it('tell an Admin of a lot only whom keys of its products were mailed to', async () => {
    await give({ receiver_identifier: 'of-north@lots.example' });
    await give({ receiver_identifier: 'of-south@lots.example', product_id: world.gate });
    await give({ receiver_identifier: 'of-both@lots.example' });
    await give({ receiver_identifier: 'of-both@lots.example', product_id: world.gate });
    const path = `${PATH}/receiver-emails?filter=email:like:lots.example&sort=email:asc`;
    const emails = async (token?: string) =>
      (await world.get<{ email: string }[]>(path, token)).map(({ email }) => email);
    expect(await emails(ADMIN_TOKEN)).toEqual(['of-both@lots.example', 'of-north@lots.example']);
    expect(await emails()).toHaveLength(3);
    expect(await emails(RIVAL_TOKEN)).toEqual([]);
  });
});

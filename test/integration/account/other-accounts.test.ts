/** No answer tells what another account has: each may use the same e-mail, device_id and uuid. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findGatewayByUuid } from '../../../cloud/equipment/gateway/gateway-queries.js';
import { hashToken } from '../../../cloud/kernel/secrets/secrets.js';
import { PASSWORD } from '../http/http-site.js';
import { type RestWorld, RIVAL_TOKEN, startRestWorld } from '../http/rest-world.js';

const RIVAL_OWNER_TOKEN = 'rival-owner-token';
const UUID = '0d3c2a54-5a1f-4b7e-9a51-3f1f6f0b7c01';
const OTHER_UUID = '0d3c2a54-5a1f-4b7e-9a51-3f1f6f0b7c02';

let world: RestWorld;
beforeAll(async () => {
  world = await startRestWorld();
  await world.cloud.store.change(async (tx) => {
    const users = tx.selectFrom('account_users').select('id').where('account_id', '=', world.site.rival);
    const { id } = await users.executeTakeFirstOrThrow();
    const token = {
      account_user_id: id,
      type: 'user',
      token_hash: hashToken(RIVAL_OWNER_TOKEN),
      created_at: 1,
      expires_at: Number.MAX_SAFE_INTEGER,
    };
    await tx.insertInto('user_tokens').values(token).execute();
  });
});
afterAll(() => world.cloud.close());

const logIn = (email: string, password: string) =>
  world.cloud.ask('POST', '/v2/auth/login', { json: { email, password } });

describe('what another account has', () => {
  it('is no reason to refuse a device_id, and what the one account does with it leaves the other as it was', async () => {
    const product = { device_id: 'a4c1380000ee', name: 'Gate', product_type_id: 1, master_key: 'ab'.repeat(32) };
    const ours = await world.post<{ id: number }>('/v2/products', product);
    const rowOf = (id: number) =>
      world.cloud.store.reader.selectFrom('products').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
    const before = await rowOf(ours.id);
    const theirs = await world.post<{ id: number }>('/v2/products', product, RIVAL_TOKEN);
    await world.patch(`/v2/products/${theirs.id}`, { master_key: 'cd'.repeat(32) }, RIVAL_TOKEN);
    expect(await world.refused('POST', '/v2/products', product, RIVAL_TOKEN)).toEqual([422, '23 device_id']);
    await world.remove(`/v2/products/${theirs.id}`, RIVAL_TOKEN);
    expect(await rowOf(ours.id)).toEqual(before);
  });

  it('is no reason to refuse a uuid, which is of the gateway that was claimed under it', async () => {
    const [theirs, ours] = [
      await world.post<{ id: number }>('/v2/gateways', { name: 'Squatter', uuid: UUID }, RIVAL_TOKEN),
      await world.post<{ id: number }>('/v2/gateways', { name: 'Pi', uuid: UUID }),
    ];
    expect(await world.refused('POST', '/v2/gateways', { name: 'Pi', uuid: UUID })).toEqual([422, '23 uuid']);
    const { store } = world.cloud;
    await store.change((tx) =>
      tx.updateTable('gateways').set({ public_key: 'key', claimed_at: 1 }).where('id', '=', ours.id).execute(),
    );
    expect((await findGatewayByUuid(store.reader, UUID))?.id).toBe(ours.id);
    expect(await world.get(`/v2/gateways/${theirs.id}`, RIVAL_TOKEN)).toMatchObject({ uuid: UUID, claimed_at: null });
    const later = await world.post<{ id: number }>('/v2/gateways', { name: 'Later' }, RIVAL_TOKEN);
    const other = await world.post<{ id: number }>('/v2/gateways', { name: 'Other', uuid: OTHER_UUID }, RIVAL_TOKEN);
    await world.remove(`/v2/gateways/${theirs.id}`, RIVAL_TOKEN);
    expect(await world.patch(`/v2/gateways/${later.id}`, { uuid: UUID }, RIVAL_TOKEN)).toMatchObject({ uuid: UUID });
    // Of one's own it is told.
    const change = { uuid: UUID };
    expect(await world.refused('PATCH', `/v2/gateways/${other.id}`, change, RIVAL_TOKEN)).toEqual([422, '23 uuid']);
    expect((await findGatewayByUuid(store.reader, UUID))?.id).toBe(ours.id);
  });

  it('is no reason to refuse a mail address, and each password signs in to its own account', async () => {
    // The last of these tests: a sign-in ends the tokens of the others.
    const email = 'owner@harbour.example';
    const user = { email, name: 'Twin', password: 'quite another phrase', role_id: 3 };
    await world.post('/v2/account-users', user, RIVAL_OWNER_TOKEN);
    expect(await world.refused('POST', '/v2/account-users', user, RIVAL_OWNER_TOKEN)).toEqual([422, '23 email']);
    const account = async (password: string) =>
      ((await logIn(email, password)).body.data as { account_id: number } | undefined)?.account_id;
    expect(await account('quite another phrase')).toBe(world.site.rival);
    expect(await account(PASSWORD)).toBe(world.site.harbour);
    const wrong = await logIn(email, 'neither of them');
    expect([wrong.status, wrong.body.errors?.[0]?.code]).toEqual([403, 8]);
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Credential } from '../../shared/gateway-config.js';
import { createPhone, type Phone } from '../world/phone.js';
import { TEST_SITE } from '../world/site.js';
import { waitUntil } from '../../scripts/sim/wait-until.js';
import { createWorld, type World } from '../world/world.js';

const BARRIER_ID = 1;

interface Key {
  id: number;
  status: string;
  operation_token_id: number;
  operation_token: Record<'token_open' | 'token_close' | 'token_status', Credential>;
}

describe('key story: a guest opens by a phone without any network, until the key is blocked', () => {
  let world: World;
  let phone: Phone;
  let key: Key;

  beforeAll(async () => {
    world = await createWorld();
    phone = createPhone(world);
  });
  afterAll(async () => {
    await phone?.close();
    await world?.close();
  });

  const call = async <T>(method: 'GET' | 'POST' | 'PATCH', path: string, body?: object): Promise<T> => {
    const { status, body: answer } = await world.call<{ data: T }>(method, path, { body });
    expect([path, status]).toEqual([path, 200]);
    return answer.data;
  };
  const barrier = () => world.sim<{ state: string; moves: number }>('GET', `/products/${TEST_SITE.barrier}`);
  const delivery = () => call<{ state: string }>('GET', `/v2/operation-tokens/${key.operation_token_id}/delivery`);
  const setStatus = async (status: string) => (key = await call<Key>('PATCH', `/v2/key-logs/${key.id}`, { status }));
  const REFUSED = { kind: 'answered', block: { result: { kind: 'error', type: 1 } } };

  it('opens the barrier with the credentials of the key, while gateway and cloud are gone', async () => {
    key = await call<Key>('POST', '/v2/key-logs', {
      product_id: BARRIER_ID,
      name: 'Ana',
      receiver_identifier: '+385 21 123456',
      receiver_identifier_type: 'phone',
      start_time: new Date(Date.now() - 60_000).toISOString(),
      end_time: new Date(Date.now() + 3_600_000).toISOString(),
    });
    await world.stopAgent();
    await world.stopCloud();
    const { token_open, token_close, token_status } = key.operation_token;
    expect(await phone.operate(TEST_SITE.barrier, 'open', token_open)).toMatchObject({
      kind: 'answered',
      block: { result: { kind: 'ok' }, state: 'opened' },
    });
    expect(await barrier()).toMatchObject({ state: 'opened', moves: 1 });
    expect(await phone.operate(TEST_SITE.barrier, 'status', token_status)).toMatchObject({
      block: { result: { kind: 'ok' }, state: 'opened' },
    });
    // A credential is for its own operation, and for its own product.
    expect(await phone.operate(TEST_SITE.barrier, 'close', token_open)).toMatchObject(REFUSED);
    expect(await phone.operate(TEST_SITE.gate, 'close', token_close)).toMatchObject({ kind: 'refused', type: 1 });
    expect(await barrier()).toMatchObject({ state: 'opened', moves: 1 });
  });

  it('is refused by the barrier itself once a gateway has told it that the key is blocked', async () => {
    const { token_close, token_status } = key.operation_token;
    await world.startCloud();
    expect(await delivery()).toEqual({ state: 'none', delivered_at: null });
    await setStatus('blocked');
    expect(key.status).toBe('blocked');
    // No gateway is there: the product does not know yet, and obeys.
    expect(await delivery()).toMatchObject({ state: 'pending' });
    expect(await phone.operate(TEST_SITE.barrier, 'status', token_status)).toMatchObject({
      block: { result: { kind: 'ok' } },
    });
    await world.startAgent();
    await waitUntil('the product to have confirmed it', async () => (await delivery()).state === 'delivered');
    await world.stopAgent();
    for (const [name, credential] of [
      ['close', token_close],
      ['status', token_status],
    ] as const)
      expect(await phone.operate(TEST_SITE.barrier, name, credential)).toMatchObject(REFUSED);
    expect(await barrier()).toMatchObject({ state: 'opened', moves: 1 });
  });

  it('opens again with other credentials when the key is given back', async () => {
    const old = key;
    await setStatus('reactived');
    expect(await phone.operate(TEST_SITE.barrier, 'close', key.operation_token.token_close)).toMatchObject({
      block: { result: { kind: 'ok' }, state: 'closed' },
    });
    expect(old.operation_token.token_close).toEqual({ token: '', status_key: '', challenge_key: '' });
    expect(await barrier()).toMatchObject({ state: 'closed', moves: 2 });
  });
});

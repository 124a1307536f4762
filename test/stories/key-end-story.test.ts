import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Credential } from '../../shared/gateway-config.js';
import { DAY_MS, HOUR_MS } from '../../shared/durations.js';
import { createPhone, type Phone } from '../world/phone.js';
import { TEST_SITE } from '../world/site.js';
import { waitUntil } from '../../scripts/sim/wait-until.js';
import { createWorld, type World } from '../world/world.js';

const BARRIER_ID = 1;

interface Key {
  id: number;
  status: string;
  operation_token: Record<'token_open' | 'token_close', Credential>;
}

describe('key end story: what has an end ends by time alone, also where no network is', () => {
  let world: World;
  let phone: Phone;
  let key: Key;

  beforeAll(async () => {
    world = await createWorld({ movesClock: true, cutsNetwork: true, barrierAutocloseS: 20 });
    phone = createPhone(world);
  });
  afterAll(async () => {
    await phone?.close();
    await world?.close();
  });

  const isoIn = (ms: number) => new Date(world.now() + ms).toISOString();
  const barrier = () => world.sim<{ state: string; moves: number }>('GET', `/products/${TEST_SITE.barrier}`);
  const keyNow = async () => (await world.api<{ data: Key }>(`/v2/key-logs/${key.id}`)).body.data;
  const isConnected = async () => (await world.agentStatus()).cloud.connected;

  it("opens by a guest's key until its end", async () => {
    const { body } = await world.call<{ data: Key }>('POST', '/v2/key-logs', {
      body: {
        product_id: BARRIER_ID,
        name: 'Ana',
        receiver_identifier: '+385 21 123456',
        receiver_identifier_type: 'phone',
        start_time: isoIn(-60_000),
        end_time: isoIn(2 * HOUR_MS),
      },
    });
    key = body.data;
    await world.moveClock(HOUR_MS);
    expect(await phone.operate(TEST_SITE.barrier, 'open', key.operation_token.token_open)).toMatchObject({
      kind: 'answered',
      block: { result: { kind: 'ok' }, state: 'opened' },
    });
    const { status } = await keyNow();
    await world.moveClock(HOUR_MS);
    expect(await phone.operate(TEST_SITE.barrier, 'open', key.operation_token.token_open)).toMatchObject({
      kind: 'answered',
      block: { result: { kind: 'error', type: 1 } },
    });
    await waitUntil('the cloud to call the key something else', async () => (await keyNow()).status !== status);
    await waitUntil('the barrier to be closed', async () => (await barrier()).state === 'closed');
    expect(await barrier()).toMatchObject({ moves: 2 });
  });

  it('lets a member in after three weeks without the network, and the cloud hears of it when that is back', async () => {
    const stream = await world.listen();
    world.faults.network.cut();
    await waitUntil('the gateway to notice', async () => !(await isConnected()));
    await world.moveClock(21 * DAY_MS);
    const readMs = world.now();
    await world.arrive(TEST_SITE.memberPlate);
    await waitUntil('the barrier to open', async () => (await barrier()).moves === 3);
    expect((await world.agentStatus()).outbox.pending).toBeGreaterThan(0);
    world.faults.network.mend();
    await waitUntil('the gateway to be back', isConnected);
    const [reading] = await stream.waitFor('plate_reading_create');
    expect(Math.abs(Date.parse(String(reading?.payload.created_at)) - readMs)).toBeLessThan(60_000);
    await world.settled();
    await stream.close();
  });
});

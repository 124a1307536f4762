import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RealtimeListener } from '../world/realtime-listener.js';
import { TEST_SITE } from '../world/site.js';
import { waitUntil } from '../../scripts/sim/wait-until.js';
import { createWorld, type World } from '../world/world.js';

describe('offline story: gates work without the cloud, and it hears of it once, with the original times', () => {
  let world: World;
  let stream: RealtimeListener | null = null;
  let cursor = '';
  let readBetween: { from: number; to: number };

  beforeAll(async () => {
    world = await createWorld({ barrierAutocloseS: 1, cutsNetwork: true });
    const before = await world.listen();
    await world.arrive('ZG111AA');
    const [event] = await before.waitFor('lpr_event');
    cursor = event?.id ?? '';
    await world.settled();
    await before.close();
  });

  afterAll(async () => {
    await stream?.close();
    await world?.close();
  });

  it('lets the member in while the cloud is stopped', async () => {
    await world.stopCloud();
    await waitUntil('the agent to notice', async () => !(await world.agentStatus()).cloud.connected);
    const barrier = () => world.sim<{ state: string; moves: number }>('GET', `/products/${TEST_SITE.barrier}`);
    const { moves } = await waitUntil('the barrier to have closed behind the first car', async () => {
      const now = await barrier();
      return now.state === 'closed' && now.moves === 2 ? now : null;
    });

    const from = Math.floor(Date.now() / 1000) * 1000;
    expect(await world.arrive(TEST_SITE.memberPlate)).toEqual({ status: 200 });
    readBetween = { from, to: Date.now() };

    await waitUntil('the barrier to open', async () => (await barrier()).moves > moves);
    // Opened once, and closed by itself.
    await waitUntil('the barrier to close', async () => (await barrier()).state === 'closed');
    expect((await barrier()).moves).toBe(moves + 2);
  });

  it('keeps the read through a restart of the agent, still without a cloud', async () => {
    await world.faults.kill('agent');
    await world.startAgent();
    expect((await world.agentStatus()).outbox.pending).toBeGreaterThan(0);
    await waitUntil('the products to be heard again', async () => {
      const { products } = await world.agentStatus();
      return products.length === 2 && products.every((product) => product.status === 'online');
    });
    expect(await world.leave('ZG111AA')).toEqual({
      status: 200,
    });
    await waitUntil('the gate to be passable', async () => {
      const gate = await world.sim<{ state: string }>('GET', `/products/${TEST_SITE.gate}`);
      return gate.state === 'opened';
    });
  });

  it('reports to the cloud once when it is back', async () => {
    await world.startCloud();
    stream = await world.listen(cursor);
    await world.settled();
    const readings = await stream.waitFor('plate_reading_create', 2);
    await stream.waitFor('session_update');

    const ofMember = readings.filter((entry) => entry.payload.plate === TEST_SITE.memberPlate);
    expect(ofMember).toHaveLength(1);
    const createdMs = Date.parse(String(ofMember[0]?.payload.created_at));
    expect(createdMs).toBeGreaterThanOrEqual(readBetween.from);
    expect(createdMs).toBeLessThanOrEqual(readBetween.to);
    expect(stream.of('session_create').map((entry) => entry.payload.entry_license_plate)).toMatchObject([
      { plate: TEST_SITE.memberPlate },
    ]);
    expect(stream.of('session_update')[0]?.payload).toMatchObject({
      possibly_exited: true,
      entry_license_plate: { plate: 'ZG111AA' },
    });
    expect(stream.of('plate_reading_create')).toHaveLength(2);
  });

  it('goes on deciding while its network is cut, and reports by itself when that is mended', async () => {
    world.faults.network.cut();
    await waitUntil('the agent to notice', async () => !(await world.agentStatus()).cloud.connected);
    expect(await world.arrive('ZG222BB')).toEqual({
      status: 200,
    });
    await waitUntil('the barrier to open', async () => {
      const { state } = await world.sim<{ state: string }>('GET', `/products/${TEST_SITE.barrier}`);
      return state === 'opened';
    });
    expect((await world.agentStatus()).outbox.pending).toBeGreaterThan(0);
    world.faults.network.slow(20);
    world.faults.network.mend();
    await world.settled();
    const readings = (await stream?.waitFor('plate_reading_create', 3)) ?? [];
    expect(readings.map(({ payload }) => payload.plate)).toEqual([TEST_SITE.memberPlate, 'ZG111AA', 'ZG222BB']);
  });
});

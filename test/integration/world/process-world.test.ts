import { afterEach, describe, expect, it } from 'vitest';
import { waitUntil } from '../../../scripts/sim/wait-until.js';
import { TEST_SITE } from '../../world/site.js';
import { createWorld, type World, type WorldOptions } from '../../world/world.js';

describe('a world in one process', () => {
  let world: World;
  let isClosed = false;

  async function start(options: WorldOptions = {}): Promise<void> {
    world = await createWorld({ driver: 'process', ...options });
    isClosed = false;
  }
  async function close(): Promise<void> {
    if (!isClosed) await world?.close();
    isClosed = true;
  }
  afterEach(close);
  const isConnected = async () => (await world.agentStatus()).cloud.connected;

  it('makes the same ids of one seed, and others of another', async () => {
    const eventIdOf = async (seed: number) => {
      await start({ seed });
      await world.arrive(TEST_SITE.memberPlate);
      const named = /"event_id":"([0-9a-f]{8})"/;
      const did = await waitUntil('the gateway to log what it did', () => named.exec(world.output()));
      await close();
      return did[1];
    };
    const first = await eventIdOf(7);
    expect(await eventIdOf(7)).toBe(first);
    expect(await eventIdOf(8)).not.toBe(first);
  });

  it('loses its network and its parts at one seam', async () => {
    await start({ cutsNetwork: true });
    const { faults } = world;
    faults.network.cut();
    await waitUntil('the gateway to notice', async () => !(await isConnected()));
    faults.network.mend();
    await waitUntil('the gateway to be back', isConnected);

    await faults.kill('agent');
    faults.network.cut();
    await world.startAgent();
    expect(await isConnected()).toBe(false);
    faults.network.slow(50);
    faults.network.mend();
    await waitUntil('the gateway to be back over a slow network', isConnected);
    await faults.kill('cloud');
    await waitUntil('the gateway to notice', async () => !(await isConnected()));
    await world.startCloud();
    await world.settled();
  });

  it('moves its clock by a few seconds only, unless its story says that it moves it', async () => {
    await start();
    const before = world.now();
    await world.moveClock(4_000);
    expect(world.now()).toBeGreaterThanOrEqual(before + 4_000);
    await expect(world.moveClock(60_000)).rejects.toThrow('movesClock');
  });
});

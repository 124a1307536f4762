import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RealtimeListener } from '../world/realtime-listener.js';
import { startProgram } from '../world/programs.js';
import { TEST_SITE } from '../world/site.js';
import { waitUntil } from '../../scripts/sim/wait-until.js';
import { createWorld, type World } from '../world/world.js';

interface SimulatedProduct {
  device_id: string;
  state: string;
  permanent_position: string;
  moves: number;
}
interface Accepted {
  data: { event_id: string };
}
interface CommandAnswer {
  data: { status: string; gateway_error: { type: number } | null; attempts: { outcome: string }[] };
}

describe('release story: who wants to pass does not wait, and a lot is opened without a network', () => {
  let world: World;
  let stream: RealtimeListener | null = null;
  const product = (deviceId: string) => world.sim<SimulatedProduct>('GET', `/products/${deviceId}`);
  const barrier = () => product(TEST_SITE.barrier);
  const read = (plate: string) => world.arrive(plate);

  beforeAll(async () => {
    world = await createWorld({ cloudEnv: { GATEWAY_WAIT_MS: '300000', RATE_COMMANDS_PER_MIN: '0' } });
    stream = await world.listen();
  });

  afterAll(async () => {
    await stream?.close();
    await world?.close();
  });

  async function command(operation: string): Promise<string> {
    const path = '/v2/products/1/state';
    const { status, body } = await world.call<Accepted>('POST', path, { body: { operation } });
    expect(status).toBe(200);
    return body.data.event_id;
  }

  async function endOf(event_id: string) {
    const ended = await waitUntil(`the end of command ${event_id}`, async () => {
      const { body } = await world.call<CommandAnswer>('GET', `/v2/commands/${event_id}`);
      return body.data.status === 'pending' ? null : body.data;
    });
    return ended;
  }

  /** As a person at the gateway types it. */
  async function release(...words: string[]) {
    const environment = { AGENT_HTTP_PORT: new URL(world.agentUrl).port, AGENT_DATA_DIR: world.dataDir };
    const program = startProgram('agent/main.js', ['release', ...words], environment);
    const { code } = await program.ended;
    return { code, output: program.output() };
  }

  /** The same from the cloud; resolves when every command has ended, to how. */
  async function releaseFromCloud(path: 'release' | 'release/clear', body: object) {
    const { body: accepted } = await world.call<{ data: { event_ids: string[] } }>('POST', `/v2/lots/1/${path}`, {
      body,
    });
    return Promise.all(accepted.data.event_ids.map(async (event_id) => (await endOf(event_id)).status));
  }

  async function expectHeld(position: 'stay_open' | 'disabled') {
    for (const deviceId of [TEST_SITE.barrier, TEST_SITE.gate]) {
      expect(await product(deviceId)).toMatchObject({ state: 'opened', permanent_position: position });
    }
  }

  it('an admitted vehicle turns a closing barrier back, and the closing command ends as busy', async () => {
    await waitUntil('the cloud to hear of the barrier', async () => {
      const { body } = await world.api<{ data: { status: string } }>('/v2/products/1');
      return body.data.status === 'online';
    });
    expect((await endOf(await command('open'))).status).toBe('succeeded');
    const { moves } = await barrier();
    const closing = await command('close');
    await waitUntil('the barrier to move', async () => (await barrier()).state === 'moving');
    await read(TEST_SITE.memberPlate);
    expect(await endOf(closing)).toMatchObject({
      status: 'failed',
      gateway_error: { type: 10 },
      attempts: [{ outcome: 'failed:10' }],
    });
    await waitUntil('the barrier to be passable', async () => (await barrier()).state === 'opened');
    // One way down, and the same way back.
    expect((await barrier()).moves).toBe(moves + 2);
    const [reading] = (await stream?.waitFor('plate_reading_update')) ?? [];
    expect(reading?.payload).toMatchObject({ access_decision: 'triggered' });
  });

  it('a release is taken back completely: what the gateway began by the cloud, and the other way round', async () => {
    expect((await release('North')).code).toBe(0);
    await expectHeld('stay_open');
    const cleared: string[] = [];
    await waitUntil('the cloud to know of both and to end it', async () => {
      cleared.push(...(await releaseFromCloud('release/clear', {})));
      return cleared.length >= 2;
    });
    expect(cleared).toEqual(cleared.map(() => 'succeeded'));
    await expectHeld('disabled');

    expect(await releaseFromCloud('release', { hold: 1 })).toEqual(['succeeded', 'succeeded']);
    await expectHeld('stay_open');
    expect((await release('clear', 'North')).code).toBe(0);
    await expectHeld('disabled');
    await waitUntil('the cloud to know of it', async () => {
      const ended = await releaseFromCloud('release/clear', {});
      return ended.length === 0;
    });
  });

  it('parking-agent release opens every product without a cloud, shows what came of it, and is taken back', async () => {
    await world.stopCloud();
    await waitUntil('the agent to notice', async () => !(await world.agentStatus()).cloud.connected);
    expect(await release('South')).toEqual({ code: 1, output: expect.stringContaining('in the lot "North"') });
    const released = await release('North');
    expect(released).toEqual({ code: 0, output: expect.stringContaining('Exit gate') });
    expect(released.output.match(/open, and stays open/g)).toHaveLength(2);
    await expectHeld('stay_open');
    expect(released.output).toContain('until you say: parking-agent release clear North');
    expect(await release('clear', 'north')).toEqual({
      code: 0,
      output: expect.stringContaining('the release is over; nothing was moved'),
    });
    await expectHeld('disabled');
  });
});

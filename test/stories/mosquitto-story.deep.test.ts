import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasMosquitto, type MosquittoServer, startMosquitto } from '../world/mosquitto-server.js';
import { openingsSince } from '../world/openings.js';
import { startProgram } from '../world/programs.js';
import { TEST_SITE } from '../world/site.js';
import { waitUntil } from '../../scripts/sim/wait-until.js';
import { createWorld, type World } from '../world/world.js';

const GATE_ID = 2;
const GATEWAY_ID = 1;

interface CommandAnswer {
  success: boolean;
  data: { event_id: string; status: string };
}

/** The same car park as in the other stories, with a broker that is a program of its own. */
describe.runIf(hasMosquitto())('mosquitto story: a car park works over a broker of the operator', () => {
  let server: MosquittoServer;
  let world: World;
  beforeAll(async () => {
    server = await startMosquitto();
    world = await createWorld({ cloudEnv: { MQTT_URL: server.url, MQTT_KIND: 'mosquitto' } });
  });
  afterAll(async () => {
    await world?.close();
    await server?.remove();
  });

  const readings = async (plate: string) => {
    const { body } = await world.api<{ data: unknown[] }>(`/v2/plate-readings?filter=plate:eq:${plate}`);
    return body.data.length;
  };
  const read = (plate: string) => world.arrive(plate);
  const gate = () => world.sim<{ state: string; moves: number }>('GET', `/products/${TEST_SITE.gate}`);
  async function openGate(): Promise<void> {
    const before = await waitUntil('the gate to be closed', async () => {
      const now = await gate();
      return now.state === 'closed' && now;
    });
    const body = { operation: 'open' };
    // A new process of the cloud knows who hears the gate when the gateway has answered it.
    const event_id = await waitUntil('a command that is taken', async () => {
      const { body: answer } = await world.call<CommandAnswer>('POST', `/v2/products/${GATE_ID}/state`, { body });
      return answer.data.event_id;
    });
    const ended = await waitUntil('the end of the command', async () => {
      const { data } = (await world.api<CommandAnswer>(`/v2/commands/${event_id}`)).body;
      return data.status !== 'pending' && data;
    });
    expect(ended.status).toBe('succeeded');
    expect(openingsSince(before, await gate())).toBe(1);
  }
  const statusOfGateway = async () =>
    (await world.api<{ data: { status: string } }>(`/v2/gateways/${GATEWAY_ID}`)).body.data.status;

  it('a claimed gateway is let in: a plate is read, and a command opens the gate', async () => {
    await read('ZG100AA');
    await waitUntil('the reading', async () => (await readings('ZG100AA')) === 1);
    await openGate();
  });

  it('what happens while the broker is gone is heard when it is back, once', async () => {
    await server.stop('SIGKILL');
    await waitUntil('the gateway to notice', async () => !(await world.agentStatus()).cloud.connected);
    await waitUntil('the cloud to say so', async () => (await fetch(`${world.cloudUrl}/readyz`)).status === 503);
    await read('ZG200AA');
    await server.start();
    await world.settled();
    await waitUntil('the reading', async () => (await readings('ZG200AA')) === 1);
    await waitUntil('the cloud to be ready', async () => (await fetch(`${world.cloudUrl}/readyz`)).ok);
    await waitUntil('the gateway to be online', async () => (await statusOfGateway()) === 'online');
  });

  it('a new process of the cloud finds the gateway, whose connection went on, and reaches it', async () => {
    await world.faults.kill('cloud');
    await read('ZG300AA');
    await world.startCloud();
    await waitUntil('the reading', async () => (await readings('ZG300AA')) === 1);
    await world.settled();
    expect(await statusOfGateway()).toBe('online');
    await openGate();
  });

  it('a deleted gateway is cut off, and let in no more', async () => {
    const { status } = await world.call('DELETE', `/v2/gateways/${GATEWAY_ID}`);
    expect(status).toBe(200);
    await waitUntil('the gateway to be refused', async () => !(await world.agentStatus()).cloud.connected);
  });

  it('says in one line what stops the start, and how it ends', async () => {
    const program = startProgram('cloud/main.js', ['serve'], {
      PORT: '0',
      MQTT_PORT: '0',
      DATA_DIR: `${world.dataDir}/other`,
      MQTT_URL: server.url.replace(/:[^:@]*@/, ':wrong@'),
      MQTT_KIND: 'mosquitto',
    });
    const { code } = await program.ended;
    expect(program.output().trim().split('\n').at(-1)).toMatch(
      /^parking-cloud: Cannot use the broker mqtt:\/\/127\.0\.0\.1:\d+ \(MQTT_URL\): it refuses user and password/,
    );
    expect(code).toBe(1);
  });
});

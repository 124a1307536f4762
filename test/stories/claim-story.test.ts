import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePorts } from '../world/free-ports.js';
import { type RunningProgram, startProgram } from '../world/programs.js';
import { TEST_SITE } from '../world/site.js';
import { waitUntil } from '../../scripts/sim/wait-until.js';
import { createWorld, type World } from '../world/world.js';

interface GatewayAnswer {
  success: boolean;
  data: { id: number; uuid: string | null; status: string; slot: number; claim_code: string; claim_qr: string };
}
interface CommandAnswer {
  data: { status: string; attempts: { gateway_uuid: string; outcome: string | null }[] };
}

/** Ids as the site file gives them. */
const LOT_ID = 1;
const BARRIER_ID = 1;

/** What an installer does with a new device beside one that works: create a code, enter it, start, look. */
describe('claim story: a new gateway is claimed with a one-time code and works from then on', () => {
  let world: World;
  let made: GatewayAnswer['data'];
  let uuid = '';
  let gateway: RunningProgram | null = null;
  let deviceEnv: Record<string, string>;

  beforeAll(async () => {
    // The device and its command line are programs.
    world = await createWorld({ driver: 'programs' });
    const [port] = await freePorts(1);
    deviceEnv = {
      AGENT_DATA_DIR: join(world.dataDir, 'new-device'),
      AGENT_HTTP_PORT: String(port),
      BLE_HCI: `sim:${join(world.dataDir, 'radio.sock')}`,
    };
  });

  afterAll(async () => {
    await gateway?.end();
    await world?.close();
  });

  async function agent(env: Record<string, string>, ...args: string[]) {
    const program = startProgram('agent/main.js', args, env);
    const { code } = await program.ended;
    return { code, output: program.output() };
  }
  const claim = (code: string, env = deviceEnv) => agent(env, 'claim', '--cloud', world.cloudUrl, '--code', code);
  const gatewayAtCloud = async () => (await world.api<GatewayAnswer>(`/v2/gateways/${made.id}`)).body.data;

  it('begins with a gateway of the lot, whose code is shown once', async () => {
    const body = { name: 'Spare Pi', lot_id: LOT_ID };
    const created = await world.call<GatewayAnswer>('POST', '/v2/gateways', { body });
    expect(created.status).toBe(200);
    made = created.body.data;
    expect(made).toMatchObject({ uuid: null, status: 'offline' });
    expect(made.claim_qr).toBe(`${world.cloudUrl}/v2/gateways/claim#${made.claim_code}`);
    expect(JSON.stringify(await gatewayAtCloud())).not.toContain(made.claim_code);
  });

  it('refuses a wrong code in one line, and nothing is created', async () => {
    const { code, output } = await claim('WRONG-0000');
    expect(code).toBe(1);
    expect(output.trim().split('\n')).toEqual([expect.stringMatching(/^parking-agent: .*code/)]);
    expect(await gatewayAtCloud()).toMatchObject({ uuid: null, status: 'offline' });
  });

  it('makes the device that gateway', async () => {
    const { code, output } = await claim(made.claim_code);
    expect(output).toMatch(/^This gateway is "[^"]+" of the lot "[^"]+" \([0-9a-f-]{36}\) at http/);
    expect(code).toBe(0);
    uuid = /\(([0-9a-f-]{36})\)/.exec(output)?.[1] ?? '';
    expect(await gatewayAtCloud()).toMatchObject({ uuid });
  });

  it('accepts the code from no other device, and no second code on the device', async () => {
    const other = await claim(made.claim_code, { ...deviceEnv, AGENT_DATA_DIR: join(world.dataDir, 'other-device') });
    expect(other).toMatchObject({ code: 1, output: expect.stringContaining('parking-agent: ') });
    const again = await claim(made.claim_code);
    expect(again).toMatchObject({ code: 1, output: expect.stringContaining('already claimed') });
    expect(await gatewayAtCloud()).toMatchObject({ uuid });
  });

  it('starts: the cloud sees it online, and an installer sees its products and for how long it acts alone', async () => {
    gateway = startProgram('agent/main.js', ['run'], deviceEnv);
    await waitUntil('the new gateway to be online', async () => (await gatewayAtCloud()).status === 'online');
    await waitUntil('its products to be in sight, with credentials for the days to come', async () => {
      const { code, output } = await agent(deviceEnv, 'status');
      return code === 0 && /Entry barrier.*3[0-2] days/.test(output) && /Exit gate.*3[0-2] days/.test(output);
    });
  });

  it('moves a product where the other gateway is gone', async () => {
    await world.stopAgent();
    const event_id = await waitUntil('a command that is taken', async () => {
      const body = { operation: 'open' };
      const path = `/v2/products/${BARRIER_ID}/state`;
      return (await world.call<{ data: { event_id: string } }>('POST', path, { body })).body.data.event_id;
    });
    const ended = await waitUntil('its end', async () => {
      const { data } = (await world.api<CommandAnswer>(`/v2/commands/${event_id}`)).body;
      return data.status !== 'pending' && data;
    });
    expect(ended).toMatchObject({ status: 'succeeded' });
    expect(ended.attempts.at(-1)).toMatchObject({ gateway_uuid: uuid, outcome: 'succeeded' });
    expect(await world.sim('GET', `/products/${TEST_SITE.barrier}`)).toMatchObject({ state: 'opened', moves: 1 });
  });
});

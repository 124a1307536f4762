import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CONFIG_SECTIONS, type ProductItem } from '../../shared/gateway-config.js';
import { createPhone, type Phone } from '../world/phone.js';
import { TEST_SITE } from '../world/site.js';
import { waitUntil } from '../../scripts/sim/wait-until.js';
import { createWorld, type World } from '../world/world.js';

const PRODUCT_IDS = [1, 2];
/** What revoking may take until the broker has cut the gateway off, where nobody else wants the machine: it is printed. */
const CUT_OFF_WITHIN_MS = 5_000;

interface GatewayRow {
  id: number;
  uuid: string;
}

describe('stolen gateway story: its card opens nothing, once the next gateway has told the products', () => {
  let world: World;
  let thief: Phone;
  /** What the thief reads from the stolen card: the gateway's own credentials of the barrier. */
  let loot: NonNullable<ProductItem['pairing']>;
  let gateways: GatewayRow[];
  const hops: string[] = [];

  beforeAll(async () => {
    world = await createWorld({ secondGateway: true, cloudEnv: { RATE_COMMANDS_PER_MIN: '0' } });
    thief = createPhone(world);
    const { body } = await world.api<{ data: GatewayRow[] }>('/v2/gateways');
    gateways = body.data;
  });
  afterAll(async () => {
    process.stdout.write(`\nA stolen gateway\n${hops.map((hop) => `  ${hop}\n`).join('')}`);
    await thief?.close();
    await world?.close();
  });

  const idOf = (uuid: string) => gateways.find((each) => each.uuid === uuid)?.id;
  const barrier = () => world.sim<{ state: string; moves: number }>('GET', `/products/${TEST_SITE.barrier}`);
  const unconfirmed = async () => {
    const path = `/v2/gateways/${idOf(TEST_SITE.secondGatewayUuid)}/health`;
    return (await world.api<{ data: { products_untold: number[] } }>(path)).body.data.products_untold;
  };
  /** The thief stands before the barrier, with a Bluetooth adapter. */
  async function steal(name: 'open' | 'close'): Promise<string> {
    const outcome = await thief.operate(TEST_SITE.barrier, name, name === 'open' ? loot.token_open : loot.token_close);
    if (outcome.kind !== 'answered') return `${outcome.kind} ${outcome.type}`;
    const { result } = outcome.block;
    return result.kind === 'error' ? `error ${result.type}` : result.kind;
  }

  it('the credentials on its card open and close, as long as nobody knows', async () => {
    await world.stopAgent();
    const card = new Database(join(world.dataDir, 'agent', 'agent.db'), { readonly: true });
    const item = card
      .prepare<[], string>(`SELECT item FROM config_items WHERE section = 'products' ORDER BY key LIMIT 1`)
      .pluck()
      .get();
    card.close();
    await world.startAgent();
    await world.settled();
    const { device_id, pairing } = CONFIG_SECTIONS.products.parse(JSON.parse(item ?? 'null'));
    expect([device_id, pairing]).toEqual([TEST_SITE.barrier, expect.anything()]);
    if (pairing !== null) loot = pairing;
    expect([await steal('open'), (await barrier()).state]).toEqual(['ok', 'opened']);
    expect([await steal('close'), (await barrier()).state]).toEqual(['ok', 'closed']);
    expect(await unconfirmed()).toEqual([]);
    hops.push('before: the barrier obeys the stolen credentials');
  });

  it('revoked over REST, it is cut off by the broker and let in no more', async () => {
    // Nobody is there who could tell the products.
    await world.secondGateway?.stop();
    const startedMs = performance.now();
    const { status } = await world.call('DELETE', `/v2/gateways/${idOf(TEST_SITE.gatewayUuid)}`);
    expect(status).toBe(200);
    await waitUntil('the broker to cut it off', async () => !(await world.agentStatus()).cloud.connected);
    const tookMs = Math.round(performance.now() - startedMs);
    hops.push(`revoked over REST: cut off by the broker after ${tookMs} ms (reach ${CUT_OFF_WITHIN_MS})`);
    await waitUntil('it to be refused', async () => /Connection refused: /.test(world.output()));
    expect((await world.agentStatus()).cloud.connected).toBe(false);
    expect(await unconfirmed()).toEqual(PRODUCT_IDS);
    hops.push(`products that have not heard of it, over REST: ${PRODUCT_IDS.join(', ')}`);
  });

  it('the products refuse it as soon as the next gateway hears them, and obey that one', async () => {
    const startedMs = performance.now();
    await world.secondGateway?.start();
    await waitUntil('all products to have heard of it', async () => (await unconfirmed()).length === 0);
    const tookMs = Math.round(performance.now() - startedMs);
    hops.push(`the next gateway started: no product is left that has not heard of it, ${tookMs} ms later`);
    const { moves } = await barrier();
    expect([await steal('open'), (await barrier()).moves]).toEqual(['error 1', moves]);
    hops.push('the barrier answers the stolen credentials: error 1 (invalid key), and does not move');

    const { body } = await world.call<{ data: { event_id: string } }>('POST', '/v2/products/1/state', {
      body: { operation: 'open' },
    });
    const end = await waitUntil('the end of the command', async () => {
      const path = `/v2/commands/${body.data.event_id}`;
      const { data } = (await world.api<{ data: { status: string; attempts: { gateway_uuid: string }[] } }>(path)).body;
      return data.status === 'pending' ? null : data;
    });
    expect(end).toMatchObject({
      status: 'succeeded',
      attempts: [{ gateway_uuid: TEST_SITE.secondGatewayUuid }],
    });
    expect((await barrier()).state).toBe('opened');
    hops.push('a command over REST goes through the next gateway: opened');
  });
});

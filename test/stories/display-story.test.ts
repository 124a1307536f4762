import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePorts } from '../sim/world/free-ports.js';
import { waitUntil } from '../sim/world/wait-until.js';
import { createWorld, type World } from '../sim/world/world.js';

const ZONE = 'Deck';

/** A zone with LoRa sensors, and a sign in front of it. */
function withDeck(yaml: string, { lora, sign }: { lora: number; sign: number }): string {
  const place = (name: string, sensor: string, settings: string) =>
    `              - {name: ${name}, parking_gateway: LoRa, sensor: ${sensor}, ${settings}}`;
  return yaml
    .replace(
      '        zones:\n',
      `        zones:
          - name: ${ZONE}
            spot_count: 3
            places:
${place('D1', '647fda000000a001', 'codec: bosch-tps110')}
${place('D2', '70b3d5000000a002', 'codec: nwave-g4')}
${place('D3', '24e124000000a003', 'codec: milesight-udl, occupied_below_mm: 1500, hysteresis_mm: 100')}
`,
    )
    .replace(
      '        parking_gateways:\n',
      `        parking_gateways:
          - {name: LoRa, driver: chirpstack, address: "mqtt://127.0.0.1:${lora}", application: parking, gateway: Entrance Pi}
`,
    )
    .replace(
      '  - name: Rival Parking\n',
      `    rgb_displays:
      - name: Deck sign
        zone: ${ZONE}
        gateway: Entrance Pi
        driver: http
        address: "http://127.0.0.1:${sign}/lines"
        template: '{"line1": "{text}"}'
        stale_text: "P"
        rules:
          - {name: full, operator: gte, occupied_value: 3, display_text: FULL}
          - {name: free, operator: lt, occupied_value: 3, display_text: "{free} FREE"}
  - name: Rival Parking
`,
    );
}

describe('display story: a sign shows what sensors say, also without a network', () => {
  let world: World;

  beforeAll(async () => {
    const [lora = 0, sign = 0] = await freePorts(2);
    world = await createWorld({ alterSite: (yaml) => withDeck(yaml, { lora, sign }) });
    await untilShown('3 FREE');
  });
  afterAll(() => world?.close());

  const park = (place: string, occupied: boolean) => world.sim('PATCH', `/places/${place}`, { occupied });
  const untilShown = (text: string) =>
    waitUntil(
      `the sign to show "${text}"`,
      async () => (await world.sim<{ text: string | null }>('GET', '/displays/Deck%20sign')).text === text,
    );
  const untilCounted = (count: number) =>
    waitUntil(`the cloud to count ${count}`, async () => {
      const { body } = await world.api<{ data: { occupied_count: number } }>('/v2/zones/1');
      return body.data.occupied_count === count;
    });
  const shown = async () =>
    (await world.api<{ data: { text: string; shown_at: string; is_stale: number } }>('/v2/rgb-displays/1/shown')).body
      .data;

  it('shows a change, and the cloud tells what it shows', async () => {
    await park('D1', true);
    await untilShown('2 FREE');
    await waitUntil('the cloud to hear of it', async () => (await shown()).text === '2 FREE');
    expect(await shown()).toMatchObject({ is_stale: 0, shown_at: expect.stringMatching(/Z$/) });
    const { body } = await world.call<{ data: object }>('POST', '/v2/rgb-displays/1/preview', { body: {} });
    expect(body.data).toEqual({ text: '2 FREE', rule_id: 2 });
  });

  it('understands sensors of every maker, and the zone counts them', async () => {
    await park('D2', true);
    await park('D3', true);
    await untilShown('FULL');
    await untilCounted(3);
  });

  it('goes on without the cloud', async () => {
    await world.stopCloud();
    await park('D2', false);
    await untilShown('1 FREE');
    await world.startCloud();
    await waitUntil('the cloud to hear of it', async () => (await shown()).text === '1 FREE');
    await untilCounted(2);
  });

  it('shows its fallback while the gateway is away, and what is true afterwards', async () => {
    await world.stopAgent();
    await untilShown('P');
    await park('D1', false);
    await world.startAgent();
    await untilShown('2 FREE');
  });
});

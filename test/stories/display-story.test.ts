import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasSerialLine } from '../../scripts/sim/sensors/serial-pair.js';
import { freePorts } from '../world/free-ports.js';
import { startProgram } from '../world/programs.js';
import { waitUntil } from '../../scripts/sim/wait-until.js';
import { createWorld, type World } from '../world/world.js';

const ZONE = 'Deck';

/** A zone with LoRa sensors and a sign in front of it, and one with a beacon. */
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
          - name: Roof
            places:
              - {name: R1, parking_gateway: Beacons, sensor: "a4:c1:38:00:0b:01"}
`,
    )
    .replace(
      '        parking_gateways:\n',
      `        parking_gateways:
          - {name: LoRa, driver: chirpstack, address: "mqtt://127.0.0.1:${lora}", application: parking, gateway: Entrance Pi}
          - {name: Beacons, driver: ble-beacon, gateway: Entrance Pi, mapping: {company: 89, byte: 4, occupied: {mask: 1}}}
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
      - name: Screen
        zone: ${ZONE}
        gateway: Entrance Pi
        driver: zhenshi
        address: zhenshi://screen-key
        template: "00 64 {length} {text} {crc}"
        stale_text: 停车
        rules:
          - {name: free, operator: gte, occupied_value: 0, display_text: "余位 {free}"}
  - name: Rival Parking
`,
    );
}

/** Another zone, with a sensor on a serial line. */
const withRamp = (yaml: string, device: string) =>
  yaml
    .replace(
      '          - name: Level 0\n',
      `          - name: Ramp
            places:
              - {name: S1, parking_gateway: Serial, sensor: "7"}
          - name: Level 0
`,
    )
    .replace(
      '        parking_gateways:\n',
      `        parking_gateways:
          - {name: Serial, driver: modbus-rtu, address: "${device}?baud=19200", unit: 3, poll_ms: 100, gateway: Entrance Pi, register: {function: 4, base: 30, occupied: {below: 1500, hysteresis: 100}}}
`,
    );

describe('display story: a sign shows what sensors say, also without a network', () => {
  let world: World;
  const lines = mkdtempSync(join(tmpdir(), 'story-line-'));
  const device = join(lines, 'ttyRamp');

  beforeAll(async () => {
    const [lora = 0, sign = 0] = await freePorts(2);
    world = await createWorld({
      alterSite(yaml) {
        const deck = withDeck(yaml, { lora, sign });
        return hasSerialLine() ? withRamp(deck, device) : deck;
      },
    });
    await untilShown('3 FREE');
  });
  afterAll(async () => {
    await world?.close();
    rmSync(lines, { recursive: true, force: true });
  });

  const park = (place: string, occupied: boolean) => world.sim('PATCH', `/places/${place}`, { occupied });
  const untilShown = (text: string, display = 'Deck sign') =>
    waitUntil(`the ${display} to show "${text}"`, async () => {
      const path = `/displays/${encodeURIComponent(display)}`;
      return (await world.sim<{ text: string | null }>('GET', path)).text === text;
    });
  const untilCounted = (count: number, zone = 1) =>
    waitUntil(`the cloud to count ${count}`, async () => {
      const { body } = await world.api<{ data: { occupied_count: number } }>(`/v2/zones/${zone}`);
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

  it('hears a beacon by the scan that hears the products', async () => {
    await park('R1', true);
    await untilCounted(1, 2);
    await park('R1', false);
    await untilCounted(0, 2);
  });

  it.runIf(hasSerialLine())('asks sensors on a serial line', async () => {
    await park('S1', true);
    await untilCounted(1, 3);
    const [, serial] = rowsOf((await agent('sensors', 'test', 'S1')).output);
    expect(serial?.slice(0, 5)).toEqual(['S1', 'Serial', '7', 'occupied', 'register 37: 750']);
    await park('S1', false);
    await untilCounted(0, 3);
  });

  /** Runs `parking-agent` beside the gateway, as somebody on site does. */
  async function agent(...words: string[]): Promise<{ code: number | null; output: string }> {
    const { port } = new URL(world.agentUrl);
    const program = startProgram('agent/main.js', words, { AGENT_HTTP_PORT: port, AGENT_DATA_DIR: world.dataDir });
    const { code } = await program.ended;
    return { code, output: program.output() };
  }
  const rowsOf = (output: string) =>
    output
      .trimEnd()
      .split('\n')
      .map((row) => row.split(/ {2,}/));

  it('is looked into on site: what each sensor said, what that means, and how long ago', async () => {
    const { code, output } = await agent('sensors', 'list');
    const [head, ...rows] = rowsOf(output);
    expect([code, head]).toEqual([0, ['place', 'parking gateway', 'sensor', 'state', 'heard', 'when', 'fault']]);
    expect(rows.map(([place, , , state]) => `${place} ${state}`)).toEqual(
      expect.arrayContaining(['D1 occupied', 'D3 occupied', 'R1 free']),
    );
    const ago = expect.stringMatching(/^\d+ (s|min) ago$/);
    const [, distance] = rowsOf((await agent('sensors', 'test', 'D3')).output);
    expect(distance).toEqual([
      'D3',
      'LoRa',
      '24e124000000a003',
      'occupied',
      'port 85: 01755c0382ee02040000, battery 92, distance_mm 750, is_tilted false',
      ago,
    ]);
    const [, beacon] = rowsOf((await agent('sensors', 'test', 'Beacons')).output);
    const data = 'a4c138000b01: 5900000000, value 0';
    expect(beacon).toEqual(['R1', 'Beacons', 'a4:c1:38:00:0b:01', 'free', data, ago]);
    const asked = await agent('sensors', 'test', 'D1', '--json');
    expect([asked.code, JSON.parse(asked.output)]).toMatchObject([
      0,
      [{ name: 'LoRa', places: [{ name: 'D1', occupancy: 'occupied', is_stale: false }] }],
    ]);
    expect(await agent('sensors', 'test', 'Z9')).toEqual({
      code: 1,
      output: 'parking-agent: there is no parking gateway or place Z9; parking-agent sensors list shows them\n',
    });
  });

  it('goes on without the cloud', async () => {
    await world.stopCloud();
    await park('D2', false);
    await untilShown('1 FREE');
    await untilShown('余位 1', 'Screen');
    await world.startCloud();
    // The gateway tells when it is back: asked for so long, the cloud would answer that this is too often.
    await world.settled();
    await waitUntil('the cloud to hear of it', async () => (await shown()).text === '1 FREE');
    await untilCounted(2);
  });

  it('shows its fallback while the gateway is away, and what is true afterwards', async () => {
    await world.stopAgent();
    await untilShown('P');
    await untilShown('停车', 'Screen');
    await park('D1', false);
    await world.startAgent();
    await untilShown('2 FREE');
  });

  it('shows a test text for a while, and says why when it cannot', async () => {
    const { code, output } = await agent('displays', 'test', 'Deck sign', '--text', 'HELLO 7');
    expect([code, output]).toEqual([0, 'Deck sign took the text "HELLO 7"; it shows its own again soon.\n']);
    await untilShown('HELLO 7');
    expect(await agent('displays', 'test', 'Roof sign')).toEqual({
      code: 1,
      output: 'parking-agent: Roof sign: this gateway has no display Roof sign: Deck sign, Screen\n',
    });
  });
});

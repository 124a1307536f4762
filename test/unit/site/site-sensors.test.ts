import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runApply } from '../../../cloud/doors/cli/apply.js';
import { readSiteFile } from '../../../cloud/doors/site-file/read-site-file.js';
import { SiteFileError } from '../../../cloud/doors/site-file/site-file-error.js';
import type { CloudStore } from '../../../cloud/kernel/store/cloud-store.js';
import { savePlaceOccupancy } from '../../../cloud/equipment/place/place-queries.js';
import { openMigratedStore } from '../../world/migrated-store.js';
import { silentLogger } from '../../../shared/logger.js';
import { FakeClock } from '../../world/fake-clock.js';
import { rowsOfAccounts } from './site-rows.js';
import { edit, lineOf } from './site-text.js';
import { quickPasswords } from '../../world/quick-passwords.js';
import { recordIo } from '../../world/record-io.js';

const TEXT = `version: 1
accounts:
  - name: Harbour Parking
    lots:
      - name: North
        gateways:
          - {name: Entrance Pi, claim_code: HARBOUR-NORTH-0001}
        zones:
          - name: Level 0
            places:
              - {name: A1, parking_gateway: Guidance, sensor: "1"}
              - {name: A2, parking_gateway: Guidance, sensor: "2"}
              - {name: A3, parking_gateway: LoRa, sensor: 647fda000000a001, codec: milesight-udl, occupied_below_mm: 300}
              - {name: A4}
          - {name: Level 1}
        parking_gateways:
          - name: Guidance
            driver: modbus-tcp
            address: 127.0.0.1:1502
            register: {function: 3, base: 65500, occupied: {below: 1500}, sentinels: [65534]}
            gateway: Entrance Pi
          - {name: LoRa, driver: chirpstack, address: "mqtt://127.0.0.1:1884", application: parking}
`;

const LOT = 'accounts[0].lots[0]';
const PLACES = `${LOT}.zones[0].places`;
const OCCUPIED = 'must be {mask: 1} or {below: 1500, hysteresis: 100}, with numbers up to 65535';

const SPOILED: [before: string, after: string, problem: string, marker?: string][] = [
  ['name: A2', 'name: A1', `${PLACES}[1].name: another place has A1 already`, 'sensor: "2"'],
  [
    'name: LoRa, driver',
    'name: Guidance, driver',
    `${LOT}.parking_gateways[1].name: another parking gateway has Guidance already`,
  ],
  [
    'name: A1, parking_gateway: Guidance',
    'name: A1, parking_gateway: Guidanze',
    `${PLACES}[0].parking_gateway: there is no parking gateway Guidanze of this lot`,
  ],
  ['sensor: "1"', 'sensor: 1', `${PLACES}[0].sensor: must be text: put it in quotes`],
  ['sensor: "1"', 'sensor: "one"', `${PLACES}[0].sensor: must be a register from 0 to 35, in quotes`],
  ['sensor: "1"', 'sensor: "36"', `${PLACES}[0].sensor: must be a register from 0 to 35, in quotes`],
  [
    'sensor: 647fda000000a001',
    'sensor: a001',
    `${PLACES}[2].sensor: must be the devEUI of the sensor: 16 hexadecimal digits, such as 647fda000000a001, in quotes`,
  ],
  ['sensor: "2"', 'sensor: "1"', `${PLACES}[1].sensor: another place of the parking gateway has 1 already`, 'A2'],
  [
    '{name: A4}',
    '{name: A4, parking_gateway: LoRa, sensor: "64-7F-DA-00-00-00-A0-01"}',
    `${PLACES}[3].sensor: another place of the parking gateway has 64-7F-DA-00-00-00-A0-01 already`,
    'A4',
  ],
  [
    ', address: "mqtt://127.0.0.1:1884"',
    '',
    `${LOT}.parking_gateways[1].address: must be the broker of the network server, such as mqtt://192.168.1.40:1883`,
    'name: LoRa, driver',
  ],
  ['{name: A4}', '{name: A4, sensor: "4"}', `${PLACES}[3].parking_gateway: is required with a sensor`],
  ['{name: A4}', '{name: A4, parking_gateway: LoRa}', `${PLACES}[3].sensor: is required with a parking_gateway`],
  ['codec: milesight-udl', 'codec: udl', `${PLACES}[2].codec: must be bosch-tps110, nwave-g4 or milesight-udl`],
  [
    'occupied_below_mm',
    'below_mm',
    `${PLACES}[2].below_mm: unknown key; allowed: name, parking_gateway, sensor, codec, occupied_below_mm, hysteresis_mm`,
  ],
  [
    'driver: modbus-tcp',
    'driver: modbus',
    `${LOT}.parking_gateways[0].driver: must be modbus-tcp, modbus-rtu, modbus-rtu-tcp, chirpstack, ttn, http or ble-beacon`,
  ],
  [
    'address: 127.0.0.1:1502',
    'address: tcp://127.0.0.1:1502',
    `${LOT}.parking_gateways[0].address: must be host:port, such as 192.168.1.30:502`,
  ],
  [
    '            address: 127.0.0.1:1502\n',
    '',
    `${LOT}.parking_gateways[0].address: is required for Modbus`,
    'name: Guidance\n',
  ],
  [
    '            register: {function: 3, base: 65500, occupied: {below: 1500}, sentinels: [65534]}\n',
    '',
    `${LOT}.parking_gateways[0].register: is required for Modbus`,
    'name: Guidance\n',
  ],
  [
    'function: 3',
    'function: 5',
    `${LOT}.parking_gateways[0].register.function: must be 1 (coils), 2 (discrete inputs), 3 (holding registers) or 4 (input registers)`,
  ],
  ['base: 65500', 'base: 65536', `${LOT}.parking_gateways[0].register.base: must be at most 65535`],
  [
    'occupied: {below: 1500}',
    'occupied: {mask: 0}',
    `${LOT}.parking_gateways[0].register.occupied.mask: must be at least 1`,
  ],
  [
    'occupied: {below: 1500}',
    'occupied: {mask: 1, below: 1500}',
    `${LOT}.parking_gateways[0].register.occupied: ${OCCUPIED}`,
  ],
  ['occupied: {below: 1500}, ', '', `${LOT}.parking_gateways[0].register.occupied: is required`, 'register:'],
  [
    '            gateway: Entrance Pi',
    '            gateway: Exit Pi',
    `${LOT}.parking_gateways[0].gateway: there is no gateway Exit Pi of this lot`,
  ],
  [
    'address: 127.0.0.1:1502',
    'address: 127.0.0.1:1502\n            poll_ms: 10',
    `${LOT}.parking_gateways[0].poll_ms: must be at least 100`,
    'poll_ms',
  ],
];

function problemsOf(text: string): string[] {
  try {
    readSiteFile('site.yaml', text);
    return [];
  } catch (error) {
    if (error instanceof SiteFileError) return error.problems;
    throw error;
  }
}

describe('the sensors of a site file', () => {
  it('are read, with defaults for the rest', () => {
    const lot = readSiteFile('site.yaml', TEXT).site.accounts[0]?.lots[0];
    expect(lot?.parking_gateways).toEqual([
      {
        name: 'Guidance',
        driver: 'modbus-tcp',
        address: '127.0.0.1:1502',
        unit: 1,
        poll_ms: 1_000,
        heartbeat_s: 30,
        mapping: null,
        register: { function: 3, base: 65_500, occupied: { below: 1_500, hysteresis: 0 }, sentinels: [65_534] },
        application: null,
        gateway: 'Entrance Pi',
      },
      expect.objectContaining({ driver: 'chirpstack', heartbeat_s: 10_800, register: null, application: 'parking' }),
    ]);
    expect(lot?.zones[0]?.places.map(({ name, sensor }) => [name, sensor])).toEqual([
      ['A1', '1'],
      ['A2', '2'],
      ['A3', '647fda000000a001'],
      ['A4', null],
    ]);
  });

  it.each(SPOILED)('with %j for %j: refused, with the line', (before, after, problem, marker) => {
    const text = edit(TEXT, before, after);
    expect(problemsOf(text)).toContain(`site.yaml:${lineOf(text, marker ?? after.trimStart())}: ${problem}`);
    expect(problemsOf(text).filter((each) => !each.endsWith(problem) && !each.includes('there is no '))).toEqual([]);
  });
});

describe('apply, of sensors', () => {
  let directory: string;
  let clock: FakeClock;
  let store: CloudStore;

  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'apply-sensors-'));
    clock = new FakeClock();
    store = await openMigratedStore({ url: `sqlite:${join(directory, 'cloud.db')}`, clock, logger: silentLogger });
  });

  afterEach(async () => {
    await store.close();
    rmSync(directory, { recursive: true });
  });

  async function apply(text: string, flags: { prune?: boolean; dryRun?: boolean } = {}): Promise<string[]> {
    const file = join(directory, 'site.yaml');
    writeFileSync(file, text);
    const { io, all: out } = recordIo();
    const code = await runApply(
      {
        file,
        prune: false,
        dryRun: false,
        ...flags,
        config: { dataDir: directory, serverKey: null, baseUrl: 'http://127.0.0.1:8080' },
      },
      { openStore: async () => ({ ...store, close: async () => {} }), clock, passwords: quickPasswords },
      io,
    );
    expect(code, out.join('\n')).toBe(0);
    return out.filter((line) => !line.startsWith('unchanged'));
  }
  const rows = () => rowsOfAccounts(store.reader, ['Harbour Parking']);

  it('creates them, at the only gateway of a lot where none is named', async () => {
    await apply(TEXT);
    const { parking_gateways, parking_places, gateways, zones } = await rows();
    expect(parking_gateways).toMatchObject([
      { name: 'Guidance', unit: 1, gateway_id: gateways[0]?.id, status: 'offline', last_seen: null },
      { name: 'LoRa', unit: null, gateway_id: gateways[0]?.id, register: null, application: 'parking' },
    ]);
    expect(JSON.parse(parking_gateways[0]?.register ?? '')).toMatchObject({ function: 3, occupied: { below: 1_500 } });
    const [guidance, lora] = parking_gateways;
    expect(
      parking_places.map((place) => [place.name, place.parking_gateway_id, place.sensor, place.occupancy_status]),
    ).toEqual([
      ['A1', guidance?.id, '1', 'free'],
      ['A2', guidance?.id, '2', 'free'],
      ['A3', lora?.id, '647fda000000a001', 'free'],
      ['A4', null, null, 'free'],
    ]);
    expect(parking_places.every(({ zone_id }) => zone_id === zones[0]?.id)).toBe(true);
    expect(await apply(TEXT)).toEqual(['0 created, 0 changed, 11 unchanged.']);
  });

  it('changes what the file changes, and leaves a place as its sensor told it', async () => {
    await apply(TEXT);
    const [place] = (await rows()).parking_places;
    const notified = { id: place?.id ?? 0, occupancy_status: 'occupied' as const, changed_at: 5, now: 5 };
    await store.change((tx) => savePlaceOccupancy(tx, notified));
    const text = edit(edit(TEXT, 'sensor: "1"', 'sensor: "9"'), 'below: 1500', 'below: 1400, hysteresis: 50');
    const report = [
      'changed    parking gateway North/Guidance (register)',
      'changed    place North/A1 (sensor)',
      '0 created, 2 changed, 9 unchanged.',
    ];
    const noticed = 'A cloud that runs on this database notices it by itself and sends it to its gateways within 5 s.';
    expect(await apply(text, { dryRun: true })).toEqual([...report, 'This was a dry run: nothing was written.']);
    expect((await rows()).parking_places[0]?.sensor).toBe('1');
    expect(await apply(text)).toEqual([...report, noticed]);
    expect((await rows()).parking_places[0]).toMatchObject({
      sensor: '9',
      occupancy_status: 'occupied',
      changed_at: 5,
    });
  });

  it('takes a place to another zone, and another parking gateway', async () => {
    await apply(TEXT);
    const before = (await rows()).parking_places[3]?.id;
    const moved = edit(
      edit(TEXT, '              - {name: A4}\n', ''),
      '          - {name: Level 1}',
      '          - {name: Level 1, places: [{name: A4, parking_gateway: Guidance, sensor: "4"}]}',
    );
    expect(await apply(moved)).toContain('changed    place North/A4 (sensor, zone, parking_gateway)');
    const { parking_places, zones } = await rows();
    expect(parking_places[3]).toMatchObject({ id: before, name: 'A4', zone_id: zones[1]?.id, sensor: '4' });
  });

  it('keeps what the file names no more, and removes it with --prune', async () => {
    await apply(TEXT);
    const smaller = TEXT.replace(/ +- \{name: A3.*\n/, '').replace(/ +- \{name: LoRa.*\n/, '');
    expect(await apply(smaller)).toEqual([
      'kept       place North/A3 (not in the file; --prune removes it)',
      'kept       parking gateway North/LoRa (not in the file; --prune removes it)',
      '0 created, 0 changed, 9 unchanged, 2 kept.',
    ]);
    expect(await apply(smaller, { prune: true })).toEqual([
      'removed    place North/A3',
      'removed    parking gateway North/LoRa',
      '0 created, 0 changed, 9 unchanged, 2 removed.',
      'A cloud that runs on this database notices it by itself and sends it to its gateways within 5 s.',
    ]);
    expect((await rows()).parking_places.map(({ name }) => name)).toEqual(['A1', 'A2', 'A4']);
  });
});

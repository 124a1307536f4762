import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readSiteFile } from '../../../cloud/doors/site-file/read-site-file.js';
import { SiteFileError } from '../../../cloud/doors/site-file/site-file-error.js';
import { someOf } from '../../depth.js';
import { LEAST_THINGS } from './least-things.js';
import { OWNER_TOKEN, type RestWorld, startRestWorld } from './rest-world.js';

type Values = Record<string, unknown>;

/** Of the device ids. */
const NUMBER = 170;

/** Settings of a product, which only a command changes once it is there. */
const SET_BY_COMMANDS: ReadonlySet<string> = new Set(['is_autoclose', 'autoclose_time', 'permanent_position']);

/** A kind of thing, in a form that both REST and the site file take. */
interface Kind {
  kind: string;
  /** Of its list; `least-things.ts` says what has to be given. */
  path: string;
  /** The account of a file that has the item, with what only the file has to be given. */
  account: (item: Values) => Values;
  /** Fields that are called alike in both. */
  fields: string[];
  /** Values of several fields at once. */
  together?: Values[];
}

const lot = (inside: Values): Values => ({ lots: [{ name: 'L', ...inside }] });
const zone = (inside: Values): Values => lot({ zones: [{ name: 'Z', ...inside }] });

const REGISTER = { function: 3, base: 10, occupied: { below: 1500 } };

const PROBES: unknown[] = [
  'plain',
  '',
  ' ',
  ' spaced ',
  'two\nlines',
  'tab\there',
  'nul\u0000here',
  'escape\u001b[2J',
  'soft\u0085line',
  'x'.repeat(200),
  'x'.repeat(201),
  'x'.repeat(501),
  'x'.repeat(2_001),
  'hikvision',
  'nikvision',
  'http',
  'milesight-udl',
  'bosch',
  'http://10.0.0.5',
  'tcp://10.0.0.5:5200',
  '10.0.0.5',
  'Europe/Zagreb',
  '+01:00',
  'mains',
  'in/out',
  'rear',
  'position',
  'deny',
  'between',
  'gt',
  'EUR',
  '25',
  'ZG 1',
  'somebody@example.com',
  '2026-01-01T00:00:00Z',
  '2026-01-01',
  '1950-01-01T00:00:00Z',
  '2027-02-30T00:00:00Z',
  -1,
  0,
  1,
  1.5,
  99,
  255,
  256,
  3_601,
  65_536,
  1_000_001,
  true,
  null,
  [],
  {},
];

describe('a value over REST and the same in a site file', () => {
  let world: RestWorld;
  let displayId = 0;
  beforeAll(async () => {
    world = await startRestWorld();
    displayId = (await world.post<{ id: number }>('/v2/rgb-displays', { name: 'Sign', zone_id: world.site.zone })).id;
  });
  afterAll(() => world.cloud.close());

  const KINDS: Kind[] = [
    {
      kind: 'lot',
      path: '/v2/lots',
      account: (item) => ({ lots: [item] }),
      fields: ['name', 'address', 'timezone', 'offline_exit', 'autonomy_days', 'latitude', 'longitude'],
    },
    {
      kind: 'zone',
      path: '/v2/zones',
      account: (item) => lot({ zones: [item] }),
      fields: ['name', 'description', 'spot_count', 'occupancy_max_hours'],
    },
    {
      kind: 'place',
      path: '/v2/parking-places',
      account: (item) => zone({ places: [item] }),
      fields: ['name', 'codec', 'occupied_below_mm', 'hysteresis_mm'],
    },
    {
      kind: 'parking gateway',
      path: '/v2/parking-gateways',
      account: (item) => lot({ parking_gateways: [item] }),
      fields: ['name', 'driver', 'address', 'unit', 'poll_ms', 'heartbeat_s', 'register', 'application'],
      together: [
        { driver: 'modbus-tcp', address: '10.0.0.5:502', register: REGISTER },
        { driver: 'modbus-tcp', address: '10.0.0.5:502' },
        { driver: 'modbus-tcp', register: REGISTER },
        { driver: 'modbus-tcp', address: 'tcp://10.0.0.5', register: REGISTER },
        { driver: 'modbus-tcp', address: '', register: REGISTER },
        { driver: 'modbus-rtu', address: '/dev/ttyUSB0', register: REGISTER },
        { driver: 'modbus-rtu', address: '/dev/ttyUSB0', register: null },
        { driver: 'modbus-rtu', address: '/dev/ttyUSB0', register: { ...REGISTER, function: 5 } },
        { driver: 'modbus-rtu', address: '/dev/ttyUSB0', register: { ...REGISTER, first: 1 } },
        { driver: 'modbus-rtu', address: '/dev/ttyUSB0', register: { function: 3, occupied: { mask: 1 } } },
        { driver: 'chirpstack', address: 'mqtt://10.0.0.5', application: 'parking' },
      ],
    },
    {
      kind: 'camera',
      path: '/v2/lpr-cameras',
      account: (item) => zone({ lpr_cameras: [item] }),
      fields: [
        'name',
        'device_id',
        'driver',
        'address',
        'username',
        'password',
        'push_key',
        'push_without_key',
        'timezone',
        'lpr_position',
        'plate_side',
        'debounce_time',
        'direction_source',
      ],
    },
    {
      kind: 'product',
      path: '/v2/products',
      account: ({ product_type_id: _ofRest, ...item }) => zone({ products: [{ type: 'barrier', ...item }] }),
      fields: ['name', 'device_id', 'power_type', 'is_autoclose', 'autoclose_time', 'master_key'],
    },
    {
      kind: 'member',
      path: '/v2/members',
      account: (item) => ({ members: [{ license_plate: 'ZG1', ...item }] }),
      fields: ['name', 'description', 'email'],
    },
    {
      kind: 'group',
      path: '/v2/groups',
      account: (item) => ({ groups: [item] }),
      fields: ['name', 'description'],
    },
    {
      kind: 'tariff',
      path: '/v2/tariffs',
      account: (item) => ({ tariffs: [item] }),
      fields: ['name', 'currency', 'vat', 'free_minutes', 'price', 'step_minutes', 'daily_max', 'windows'],
      together: [
        { currency: 'JPY', price: 1.5 },
        { price: 1.505 },
        { daily_max: 1.505 },
        { windows: [{ start: '20:00', end: '06:00', price: 1 }] },
        { windows: [{ days: [6, 7, 6], start: '20:00', end: '06:00', price: 1, step_minutes: 30 }] },
        { windows: [{ days: [8], start: '20:00', end: '06:00', price: 1 }] },
        { windows: [{ start: '20:00', end: '6:00', price: 1 }] },
        { windows: [{ start: '20:00', end: '06:00', price: 1.505 }] },
      ],
    },
    {
      kind: 'alert',
      path: '/v2/license-plate-alerts',
      account: (item) => ({ license_plate_alerts: [item] }),
      fields: ['name', 'min_minutes_between_emails', 'plates', 'receivers'],
      together: [
        { plates: ['ZG 1', 'zg-1'] },
        { plates: ['--'] },
        { receivers: [{ name: 'two\nlines', receiver_email: 'a@example.com' }] },
        { receivers: [{ name: 'A', receiver_email: 'a@example.com' }] },
        { receivers: ['a@example.com', 'A@EXAMPLE.com'].map((receiver_email) => ({ name: 'A', receiver_email })) },
      ],
    },
    {
      kind: 'display',
      path: '/v2/rgb-displays',
      account: (item) => ({ ...zone({}), rgb_displays: [{ zone: 'Z', ...item }] }),
      fields: ['name', 'driver', 'address', 'stale_text'],
    },
    {
      kind: 'display rule',
      path: '/v2/rgb-display-rules',
      account: (item) => ({ ...zone({}), rgb_displays: [{ name: 'D', zone: 'Z', rules: [item] }] }),
      fields: [
        'name',
        'operator',
        'occupied_value',
        'occupied_value_to',
        'display_text',
        'order',
        'start_time',
        'end_time',
      ],
      together: [
        { operator: 'between', occupied_value: 1, occupied_value_to: 2 },
        { operator: 'between', occupied_value: 2, occupied_value_to: 1 },
        { operator: 'between', occupied_value: 2 },
        { operator: 'gt', occupied_value: 2, occupied_value_to: 1 },
        { start_time: '2026-02-01T00:00:00Z', end_time: '2026-01-01T00:00:00Z' },
        { start_time: '2026-01-01T00:00:00+01:00', end_time: '2026-01-01T00:00:00Z' },
      ],
    },
  ];

  const leastOf = ({ path }: Kind): Values => ({ ...LEAST_THINGS.get(path)?.values(NUMBER), name: 'probe' });
  /** Where the thing is, as only REST has to be told. */
  function placeOf({ path }: Kind): Values {
    const ids: Values = { '/v2/lots': world.site.north, '/v2/zones': world.site.zone, '/v2/rgb-displays': displayId };
    const names = Object.entries(LEAST_THINGS.get(path)?.names ?? {});
    return Object.fromEntries(names.map(([field, named]) => [field, ids[named]]));
  }

  async function isAcceptedByRest(kind: Kind, item: Values): Promise<boolean> {
    const json = { ...placeOf(kind), ...item };
    const { status, body } = await world.cloud.ask('POST', kind.path, { token: OWNER_TOKEN, json });
    expect([kind.kind, item, [200, 422].includes(status)]).toEqual([kind.kind, item, true]);
    if (status === 200) await world.remove(`${kind.path}/${(body.data as { id: number }).id}`);
    return status === 200;
  }

  /** PATCH of something that was just made with the least it needs. */
  async function isAcceptedByPatch(kind: Kind, probe: Values): Promise<boolean> {
    const made = await world.post<{ id: number }>(kind.path, { ...placeOf(kind), ...leastOf(kind) });
    const path = `${kind.path}/${made.id}`;
    const { status } = await world.cloud.ask('PATCH', path, { token: OWNER_TOKEN, json: probe });
    expect([kind.kind, probe, [200, 422].includes(status)]).toEqual([kind.kind, probe, true]);
    await world.remove(path);
    return status === 200;
  }

  function isAcceptedByFile(kind: Kind, item: Values): boolean {
    const account = { name: 'A', ...kind.account(item) };
    try {
      // JSON is YAML, too.
      readSiteFile('site.yaml', JSON.stringify({ version: 1, accounts: [account] }));
      return true;
    } catch (error) {
      if (error instanceof SiteFileError) return false;
      throw error;
    }
  }

  it('is taken by both or by neither, whatever it is', async () => {
    const differing: unknown[] = [];
    let acceptedCount = 0;
    let refusedCount = 0;
    for (const kind of KINDS) {
      const probes = [
        {},
        ...kind.fields.flatMap((field, index) => someOf(PROBES, 3, index).map((value) => ({ [field]: value }))),
        ...(kind.together ?? []),
      ];
      for (const probe of probes) {
        const item = { ...leastOf(kind), ...probe };
        const [rest, file] = [await isAcceptedByRest(kind, item), isAcceptedByFile(kind, item)];
        if (rest !== file) differing.push({ kind: kind.kind, ...probe, rest, file });
        if (rest) acceptedCount += 1;
        else refusedCount += 1;
      }
    }
    expect(differing).toEqual([]);
    // Neither all nor none.
    const triedCount = acceptedCount + refusedCount;
    expect(acceptedCount).toBeGreaterThan(triedCount / 6);
    expect(refusedCount).toBeGreaterThan(triedCount / 3);
  });

  it('is taken by a PATCH when it is taken by the file', async () => {
    const differing: unknown[] = [];
    let acceptedCount = 0;
    let refusedCount = 0;
    for (const kind of KINDS) {
      const fields = kind.fields.filter((field) => !SET_BY_COMMANDS.has(field));
      for (const [index, field] of fields.entries()) {
        for (const value of someOf(PROBES, 12, index)) {
          const probe = { [field]: value };
          const [rest, file] = [
            await isAcceptedByPatch(kind, probe),
            isAcceptedByFile(kind, { ...leastOf(kind), ...probe }),
          ];
          if (rest !== file) differing.push({ kind: kind.kind, ...probe, rest, file });
          if (rest) acceptedCount += 1;
          else refusedCount += 1;
        }
      }
    }
    expect(differing).toEqual([]);
    const triedCount = acceptedCount + refusedCount;
    expect(acceptedCount).toBeGreaterThan(triedCount / 8);
    expect(refusedCount).toBeGreaterThan(triedCount / 3);
  });
});

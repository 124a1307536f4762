import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { createCameraDrivers } from '../../agent/lpr/camera-drivers.js';
import { MAPPING_DRIVERS } from '../../agent/lpr/mapping/mapping-driver.js';
import { createDisplayDrivers } from '../../agent/display/display-drivers.js';
import { createScreenPolls } from '../../agent/display/screen-polls.js';
import { createOffRadio } from '../../agent/product/off-radio.js';
import { createSensorDrivers } from '../../agent/sensor/sensor-drivers.js';
import { createSensorPushes } from '../../agent/sensor/sensor-pushes.js';
import { systemClock } from '../../shared/system-clock.js';
import { cameraDriverDeps } from '../world/camera-driver-deps.js';
import { DRIVER_LISTS, RULES } from './rules.js';
import { driversOf } from './drivers.js';
import { castsOfJson } from './json-casts.js';
import { HOUSE_RULES } from './house-rules.js';
import { listedRooms, listFaults } from './listed-rooms.js';
import { highFigures, openWiring } from './wiring.js';
import { importsOf, readSourceGraph, type SourceFile } from './source-graph.js';

/** The project's root, from dist/test/architecture/. */
const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const sources = readSourceGraph(ROOT, ['agent', 'cloud', 'shared', 'test', 'scripts']);

/** A file as it would have to be to break the rule, for each rule: a rule that cannot fail holds nothing. */
const BREAKERS: Record<string, { path: string; text: string; targets?: Record<string, string> }> = {
  'agent and cloud meet in shared only': {
    path: 'agent/lpr/x.ts',
    text: `import { a } from '../../cloud/config.js';`,
    targets: { '../../cloud/config.js': 'cloud/config.ts' },
  },
  'shared imports zod and itself only': { path: 'shared/x.ts', text: `import { hkdf } from 'node:crypto';` },
  'what pages share imports preact and shared only, and pages alone import it': {
    path: 'agent/console/x.ts',
    text: `import { Button } from '../../shared/page/parts.js';`,
    targets: { '../../shared/page/parts.js': 'shared/page/parts.ts' },
  },
  'the client of integrators imports time, and types alone': {
    path: 'shared/client/x.ts',
    text: `import { ERRORS } from '../errors.js';`,
    targets: { '../errors.js': 'shared/errors.ts' },
  },
  'generated inputs come from test/property.ts': {
    path: 'test/unit/x.test.ts',
    text: `import * as fc from 'fast-check';`,
  },
  'pure files import pure files or shared only': {
    path: 'agent/lpr/x-parser.ts',
    text: `import { read } from './images.js';`,
    targets: { './images.js': 'agent/lpr/pictures/images.ts' },
  },
  'pure files know no time, chance, process or network': {
    path: 'shared/access/decide-x.ts',
    text: 'export const at = Date.now();',
  },
  'shared knows no time or chance but its system clock and its pages': {
    path: 'shared/x.ts',
    text: 'export const dice = Math.random();',
  },
  'a device, database, broker or image library is named by its own driver only': {
    path: 'agent/lpr/reads/plate-reads.ts',
    text: `import sharp from 'sharp';`,
  },
  'a library for cameras or sensors stays in the folder of its driver': {
    path: 'agent/sensor/x.ts',
    text: `import { ModbusRTU } from 'modbus-serial';`,
  },
  'a camera or sensor driver is reached through the list of its room, and the list by gateway-process.ts': {
    path: 'agent/lpr/push/x.ts',
    text: `import { hikvisionPush } from '../hikvision/hikvision-push.js';`,
    targets: { '../hikvision/hikvision-push.js': 'agent/lpr/hikvision/hikvision-push.ts' },
  },
  'services import ports, never drivers': {
    path: 'agent/lpr/x.ts',
    text: `import { open } from '../store/sqlite-agent-store.js';`,
    targets: { '../store/sqlite-agent-store.js': 'agent/store/sqlite-agent-store.ts' },
  },
  'only the settings read the environment': {
    path: 'cloud/rest/server/app.ts',
    text: 'export const port = process.env.PORT;',
  },
  'nothing imports main.ts, programs import nothing of test or scripts, the simulator nothing of test': {
    path: 'scripts/sim/x.ts',
    text: `import '../../test/world/world.js';`,
    targets: { '../../test/world/world.js': 'test/world/world.ts' },
  },
  'SQL is in the store and in -queries files only': {
    path: 'cloud/traffic/ingest/x.ts',
    text: `export const rows = (db: Db) => db.selectFrom('events');`,
  },
  'only a program ends the process': { path: 'agent/uplink/x.ts', text: 'process.exit(1);' },
  'what JSON.parse returns is checked, never given a type': {
    path: 'cloud/doors/webhook/x.ts',
    text: 'export const events = (text: string) => JSON.parse(text) as string[];',
  },
  'currencies and time zones are those of our tables': {
    path: 'cloud/site/x.ts',
    text: `export const hourIn = (zone: string) => new Intl.DateTimeFormat('en', { hour: 'numeric', timeZone: zone });`,
  },
  'nothing in the cloud travels with work invisibly': {
    path: 'cloud/kernel/store/x.ts',
    text: `import { AsyncLocalStorage } from 'node:async_hooks';`,
  },
  'a route makes its changes with the `change` of its call': {
    path: 'cloud/site/zone/x-routes.ts',
    text: 'export const handle = () => store.change((tx) => deleteZone(tx));',
  },
  'what an error says is asked of errorText': {
    path: 'agent/uplink/x.ts',
    text: "socket.on('error', (error) => logger.warn({ reason: error.message }, 'the link broke'));",
  },
  'log lines name a request, an event, a gateway or a lot by the same keys': {
    path: 'cloud/equipment/command/x.ts',
    text: "logger.warn({ err: error, eventId }, 'a command could not be sent');",
  },
  'zones, places and cameras are deleted as their resources say': {
    path: 'cloud/site/lot/lot-queries.ts',
    text: `export const removeZone = (tx: Db, id: number) => deleteRow(tx, 'zones', id);`,
  },
};

/** Files that break a rule of the whole house. */
const HOUSE_BREAKERS: Record<string, { path: string; text: string; targets: Record<string, string> }[]> = {
  'no circle of imports, of types neither': [
    { path: 'cloud/x/a.ts', text: `import type { B } from './b.js';`, targets: { './b.js': 'cloud/x/b.ts' } },
    { path: 'cloud/x/b.ts', text: `const a = require('./a.js');`, targets: { './a.js': 'cloud/x/a.ts' } },
  ],
  'no circle of rooms, of types neither': [
    { path: 'agent/x/a.ts', text: `import { b } from '../y/b.js';`, targets: { '../y/b.js': 'agent/y/b.ts' } },
    { path: 'agent/y/c.ts', text: `import type { D } from '../x/d.js';`, targets: { '../x/d.js': 'agent/x/d.ts' } },
  ],
  'the store imports no subject': [
    {
      path: 'cloud/kernel/store/x.ts',
      text: `import { lotsByIds } from '../lot/lot-queries.js';`,
      targets: { '../lot/lot-queries.js': 'cloud/site/lot/lot-queries.ts' },
    },
  ],
  'the kernel names no table of a room': [
    { path: 'cloud/site/zone/zone-tables.ts', text: 'interface Database {\n  zones: ZonesTable;\n}', targets: {} },
    {
      path: 'cloud/kernel/store/x.ts',
      text: `export const all = (db: Db) => db.selectFrom('zones as z');`,
      targets: {},
    },
  ],
  'a wing of the cloud is entered by its entry.ts, the kernel by that of a room': [
    {
      path: 'cloud/site/lot/x.ts',
      text: `import { nextCommand } from '../../equipment/command/commands.js';`,
      targets: { '../../equipment/command/commands.js': 'cloud/equipment/command/commands.ts' },
    },
  ],
  "a room of the agent uses another's named entry, never its inside": [
    {
      path: 'agent/lpr/x.ts',
      text: `import { runExchange } from '../product/exchange.js';`,
      targets: { '../product/exchange.js': 'agent/product/exchange.ts' },
    },
  ],
  'a program that connects gives each address of a name time': [
    {
      path: 'scripts/x.ts',
      text: `import { b } from './fleet/b.js';`,
      targets: { './fleet/b.js': 'scripts/fleet/b.ts' },
    },
    { path: 'scripts/fleet/b.ts', text: `import { connect } from 'node:net';`, targets: {} },
  ],
  'no member of a type `…Deps` may be missing': [
    { path: 'agent/x/a.ts', text: 'export interface ADeps { clock: Clock; onSeen?: () => void }', targets: {} },
  ],
  'what a maker takes is complete': Array.from({ length: 100 }, (_, at) => ({
    path: `agent/x/${at}.ts`,
    text: 'export const createX = ({ clock }: { clock?: Clock }) => clock;',
    targets: {},
  })),
  'what a part is given is named, never spread from a bag': [
    { path: 'agent/x/a.ts', text: 'export const a = (deps: Deps) => createB({ ...deps, keeper });', targets: {} },
  ],
  'an entry is used by another room': [],
};

function fileOf(breaker: { path: string; text: string; targets?: Record<string, string> }): SourceFile {
  const imports = importsOf(breaker.path, breaker.text).map((specifier) => ({
    specifier,
    target: breaker.targets?.[specifier] ?? null,
  }));
  return { path: breaker.path, text: breaker.text, imports };
}

describe('the rules of the house', () => {
  it('finds the sources', () => {
    expect(sources.length).toBeGreaterThan(30);
    expect(sources.flatMap((file) => file.imports).length).toBeGreaterThan(100);
  });

  it.each(RULES)('$name ($reason)', ({ name, violations }) => {
    expect(sources.flatMap((file) => violations(file).map((what) => `${file.path}: ${what}`))).toEqual([]);
    const breaker = BREAKERS[name];
    expect(breaker, `a file that breaks "${name}"`).toBeDefined();
    if (breaker !== undefined) expect(violations(fileOf(breaker))).not.toEqual([]);
  });
});

describe('a type given to what JSON.parse returns', () => {
  it.each([
    ['JSON.parse(text) as A', true],
    ['(JSON.parse(text) as unknown) as A', true],
    ['(() => { const a: A = JSON.parse(text); return a; })()', true],
    ['((): A => JSON.parse(text))()', true],
    ['JSON.parse(text) as unknown', false],
    ['schema.parse(JSON.parse(text)) as A', false],
    ['((): unknown => JSON.parse(text))()', false],
  ])('is found in %s: %s', (expression, isFound) => {
    expect(castsOfJson('x.ts', `export const a = ${expression};`).length > 0).toBe(isFound);
  });
});

describe('what a part is given', () => {
  it.each([
    ['interface ADeps { clock: Clock; onSeen?(): void }', 'ofDeps'],
    ['type ADeps = Pick<B, "a"> & { onSeen?: () => void }', 'ofDeps'],
    ['function createA(of: { clock?: Clock }) {}', 'ofMakers'],
    ['interface AOptions { limits?: Limits } const openA = (options: AOptions) => {}', 'ofMakers'],
    ['startA({ ...memory, clock })', 'spread'],
    ['const b = { ...deps, keeper }', 'spread'],
    ['interface ADeps { decide(read: { plate?: string }): void }', null],
    ['function readA(of: { json?: boolean }) {}', null],
    ['const next = { ...state, isOpen: true }', null],
  ])('is found open in %s: %s', (text, counted) => {
    const { ofDeps, ofMakers, spread } = openWiring('x.ts', text);
    const found = { ofDeps: ofDeps.length, ofMakers: ofMakers.length, spread: spread.length };
    expect(found).toEqual({ ofDeps: 0, ofMakers: 0, spread: 0, ...(counted === null ? {} : { [counted]: 1 }) });
  });
});

describe('what is left open of what parts are given', () => {
  it('is as much as is written, so that it cannot come back when some of it is gone', () => {
    expect(highFigures(sources)).toEqual([]);
    expect(highFigures([])).not.toEqual([]);
  });
});

describe('drivers', () => {
  const drivers = driversOf(sources);
  const fileAt = (path: string, text: string): SourceFile => fileOf({ path, text });

  it('are known by the package that they are named by, and by the port that they fill', () => {
    for (const path of [
      'agent/uplink/mqtt-transport.ts',
      'agent/store/sqlite-agent-store.ts',
      'agent/product/noble/noble-radio.ts',
      'agent/product/radio-process/child-radio.ts',
      'agent/lpr/pictures/sharp-picture-maker.ts',
      'cloud/equipment/broker/aedes-broker.ts',
      'cloud/traffic/image/file-image-store.ts',
      'cloud/doors/realtime/ws-realtime-server.ts',
      'cloud/doors/webhook/http-webhook-sender.ts',
    ]) {
      expect(drivers).toContain(path);
    }
    for (const path of ['cloud/rest/server/http-server.ts', 'agent/product/radio.ts', 'agent/uplink/cloud-link.ts'])
      expect(drivers).not.toContain(path);
  });

  it('are known, too, when they are of a technology that nobody has heard of', () => {
    const files = [
      fileAt('cloud/kernel/store/cloud-store.ts', '/** Port: the database. */ export {};'),
      fileAt('cloud/kernel/store/pg-worker.ts', `import { Pool } from 'pg';`),
      fileAt('cloud/kernel/store/pg-dialect.ts', 'export {};'),
      fileAt('cloud/kernel/limit/redis-cloud-store.ts', 'export {};'),
      fileAt('cloud/kernel/limit/other-limit.ts', 'export {};'),
    ];
    expect([...driversOf(files)].toSorted()).toEqual([
      'cloud/kernel/limit/redis-cloud-store.ts',
      'cloud/kernel/store/pg-dialect.ts',
      'cloud/kernel/store/pg-worker.ts',
    ]);
  });
});

describe('the rules of the whole house', () => {
  it.each(HOUSE_RULES)('$name ($reason)', ({ name, violations }) => {
    expect(violations(sources)).toEqual([]);
    const breakers = HOUSE_BREAKERS[name];
    expect(breakers, `files that break "${name}"`).toBeDefined();
    expect(violations((breakers ?? []).map(fileOf))).not.toEqual([]);
  });
});

describe("the rooms as a program's README lists them", () => {
  it.each(['agent', 'cloud'])('are all of %s, each after those that it imports', (program) => {
    const listed = listedRooms(program, readFileSync(`${ROOT}${program}/README.md`, 'utf8'));
    expect(listFaults(program, listed, sources)).toEqual([]);
    expect(listFaults(program, listed.toReversed(), sources)).not.toEqual([]);
    expect(listFaults(program, [...listed.slice(1), `${program}/x`], sources)).toEqual(
      expect.arrayContaining([`${listed[0]} is missing`, `${program}/x is no room`]),
    );
  });
});

describe('the drivers of cameras, sensors and displays', () => {
  const ofSensors = {
    clock: systemClock,
    random: Math.random,
    gatewayUuid: '',
    pushes: createSensorPushes(),
    radio: createOffRadio(),
  };
  const registered = {
    lpr: createCameraDrivers(cameraDriverDeps(systemClock)),
    sensor: createSensorDrivers(ofSensors),
    display: createDisplayDrivers({ polls: createScreenPolls() }),
  };
  /** Drivers of one family share a folder. */
  const FAMILIES: Readonly<Record<string, string>> = {
    'sensor modbus-tcp': 'modbus',
    'sensor modbus-rtu': 'modbus',
    'sensor modbus-rtu-tcp': 'modbus',
    'sensor chirpstack': 'lora',
    'sensor ttn': 'lora',
    ...Object.fromEntries(['lilin', ...Object.keys(MAPPING_DRIVERS)].map((name) => [`lpr ${name}`, 'mapping'])),
  };

  it.each(['lpr', 'sensor', 'display'] as const)(
    'are all in the list of agent/%s, under the name of their folder',
    (room) => {
      expect(sources.map(({ path }) => path)).toContain(DRIVER_LISTS[room]);
      const folders = sources.flatMap(({ path }) => {
        const [, folder, file] = /^agent\/([^/]+\/[^/]+)\/([^/]+)-driver\.ts$/.exec(path) ?? [];
        return folder === `${room}/${file}` ? [file] : [];
      });
      expect(folders.length).toBeGreaterThan(0);
      const named = [...registered[room].keys()].map((name) => FAMILIES[`${room} ${name}`] ?? name);
      expect([...new Set(named)].toSorted()).toEqual(folders.toSorted());
    },
  );
});

import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { driversOf } from './drivers.js';
import { castsOfJson } from './json-casts.js';
import { readSourceGraph, type SourceFile, withoutComments } from './source-graph.js';

/** A rule of the house: why it is there, and what in a file breaks it. */
export interface Rule {
  name: string;
  reason: string;
  violations(file: SourceFile): string[];
}

const room = (path: string): string => path.split('/', 1)[0] ?? '';
const baseName = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/** What the programs share of Node.js. The rest of `shared` knows nothing of it. */
const isOfNode = (path: string): boolean => path.startsWith('shared/node/');

/** What the pages of the consoles share. It runs in browsers. */
const isOfPages = (path: string): boolean => path.startsWith('shared/page/');

/** Kinds of file, visible in the name. */
const PURE_NAME = /(-machine|-codec|-parser|-payload|-schemas)\.ts$|^(decide|price)-/;
/** All of the simulated product's firmware is pure: its shell runs it in time. */
const PURE_FOLDER = 'scripts/sim/products/firmware/';
export const isPure = (path: string): boolean =>
  path.startsWith(PURE_FOLDER) || (PURE_NAME.test(baseName(path)) && room(path) !== 'test');

const PROGRAM_ROOMS = new Set(['agent', 'cloud', 'shared']);
const isProgram = (file: SourceFile): boolean => PROGRAM_ROOMS.has(room(file.path));

const OTEL = /^shared\/node\/otel-[^/]+\.ts$/;

/** Packages that stand for a device, a database, a broker or an image library, and the only files that may name them. */
export const DRIVER_PACKAGES: Record<string, RegExp> = {
  '@abandonware/noble': /^agent\/product\/(noble|hci)\/[^/]+\.ts$/,
  '@abandonware/bleno': /^scripts\/sim\/radio\/[^/]+\.ts$/,
  '@abandonware/bluetooth-hci-socket': /^agent\/product\/hci\/[^/]+\.ts$/,
  'better-sqlite3': /^(agent|cloud\/kernel)\/store\/(?:sqlite\/)?[^/]*sqlite[^/]*\.ts$/,
  kysely: /^cloud\/(kernel\/store\/|rest\/list\/|[^/]+\/[^/]+\/[^/]*-(queries|tables)\.ts$)/,
  mqtt: /^(agent\/(uplink\/mqtt-transport|mqtt\/hear-topics)\.ts$|cloud\/equipment\/broker\/mqtt-[^/]+\.ts$)/,
  aedes: /^cloud\/equipment\/broker\/aedes-[^/]+\.ts$/,
  sharp: /^(agent\/lpr\/pictures\/sharp-[^/]+|cloud\/site\/face\/make-logo)\.ts$/,
  onvif: /^agent\/lpr\/onvif\/[^/]+\.ts$/,
  'modbus-serial': /^agent\/(sensor|display)\/[^/]+\//,
  '@node-rs/argon2': /^cloud\/kernel\/secrets\/[^/]+\.ts$/,
  ws: /^cloud\/doors\/realtime\/[^/]+\.ts$/,
  yaml: /^(cloud\/doors\/site-file\/[^/]+|shared\/node\/settings-file)\.ts$/,
  koffi: /^agent\/process\/koffi-[^/]+\.ts$/,
  nodemailer: /^cloud\/site\/mail\/(smtp-mail-sender|compose-message)\.ts$/,
  commander: /^shared\/node\/program\.ts$/,
  '@opentelemetry/api': OTEL,
  '@opentelemetry/sdk-trace': OTEL,
  '@opentelemetry/resources': OTEL,
  '@opentelemetry/exporter-trace-otlp-http': OTEL,
  pino: /^(agent|cloud)\/main\.ts$/,
};

/** `main.ts`, `*-process.ts`, and the lists of the drivers of cameras and sensors. */
const isCompositionRoot = (path: string): boolean =>
  /^(main|[a-z-]+-process)\.ts$/.test(baseName(path)) || Object.values(DRIVER_LISTS).includes(path);

const packageOf = (specifier: string): string =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
const folderOf = (path: string): string => path.slice(0, path.lastIndexOf('/'));

/** The project's root, from dist/test/architecture/. */
const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** The rooms of cameras and sensors, whose drivers are folders, each with the list of its drivers. */
export const DRIVER_LISTS = {
  lpr: 'agent/lpr/camera-drivers.ts',
  sensor: 'agent/sensor/sensor-drivers.ts',
  display: 'agent/display/display-drivers.ts',
};

/** Only the composition roots and files of the same folder know them. */
const DRIVERS = driversOf(readSourceGraph(ROOT, [...PROGRAM_ROOMS]));
const isDriver = (path: string): boolean => DRIVERS.has(path) && !isPure(path);
const DEVICE_ROOM = /^agent\/(lpr|sensor|display)\//;

/** The folder of the camera or sensor driver that a file is part of: it holds `<folder>-driver.ts`. null: of none. */
function deviceDriverOf(path: string): string | null {
  const [, folder, name] = /^(agent\/(?:lpr|sensor|display)\/([^/]+))\//.exec(path) ?? [];
  return folder !== undefined && existsSync(`${ROOT}${folder}/${name}-driver.ts`) ? folder : null;
}

/** Packages that the rooms of cameras and sensors may use beside their drivers: they know no device. */
const DEVICE_ROOM_PACKAGES = new Set(['zod', 'hono', 'sharp']);

const CLIENT_MAY = new Set(['shared/backoff.ts', 'shared/clock.ts', 'shared/system-clock.ts']);

const IMPURE =
  /\bDate\.now\b|\bnew Date\(\)|\bMath\.random\b|\bsetTimeout\b|\bsetInterval\b|\bsetImmediate\b|\bprocess\.|\bperformance\.now\b|\bfetch\(/;

export const RULES: Rule[] = [
  {
    name: 'agent and cloud meet in shared only',
    reason: 'each must be able to run, ship and change without the other',
    violations: (file) =>
      file.imports
        .filter(
          ({ target }) =>
            target !== null &&
            ((room(file.path) === 'agent' && room(target) === 'cloud') ||
              (room(file.path) === 'cloud' && room(target) === 'agent')),
        )
        .map(({ specifier }) => specifier),
  },
  {
    name: 'shared imports zod and itself only',
    reason: 'it must run wherever agent, cloud, console or an integrator needs it',
    violations: (file) =>
      room(file.path) === 'shared' && !isOfNode(file.path) && !isOfPages(file.path)
        ? file.imports
            .filter(({ target, specifier }) =>
              target === null ? specifier !== 'zod' : room(target) !== 'shared' || isOfNode(target),
            )
            .map(({ specifier }) => specifier)
        : [],
  },
  {
    name: 'what pages share imports preact and shared only, and pages alone import it',
    reason: 'it must run in the page of either program, and in no program',
    violations: (file) =>
      file.imports
        .filter(({ target, specifier }) =>
          isOfPages(file.path)
            ? target === null
              ? !['preact', '@preact/signals'].includes(packageOf(specifier))
              : room(target) !== 'shared' || isOfNode(target)
            : target !== null && isOfPages(target) && !file.path.includes('/page/'),
        )
        .map(({ specifier }) => specifier),
  },
  {
    name: 'the client of integrators imports time, and types alone',
    reason: 'it is a package of its own, which says nothing of how the service is made',
    violations: (file) =>
      file.path.startsWith('shared/client/')
        ? file.imports
            .filter(({ target }) => target === null || !(target.startsWith('shared/client/') || CLIENT_MAY.has(target)))
            .filter(({ target }) => target === null || !isTypeHome(file, target))
            .map(({ specifier }) => specifier)
        : [],
  },
  {
    name: 'generated inputs come from test/property.ts',
    reason: 'a run that found something can be repeated with its seed',
    violations: (file) =>
      file.path === 'test/property.ts' || !file.imports.some(({ specifier }) => specifier === 'fast-check')
        ? []
        : ['fast-check'],
  },
  {
    name: 'pure files import pure files or shared only',
    reason: 'what decides must give the same answer for the same input, always',
    violations: (file) =>
      isPure(file.path)
        ? file.imports
            .filter(({ target, specifier }) =>
              target === null
                ? !['zod', '@hono/zod-openapi'].includes(specifier)
                : (room(target) !== 'shared' || isOfNode(target)) && !isPure(target) && !isTypeHome(file, target),
            )
            .map(({ specifier }) => specifier)
        : [],
  },
  {
    name: 'pure files know no time, chance, process or network',
    reason: 'they are tested by values alone',
    violations: (file) => (isPure(file.path) ? (withoutComments(file.text).match(IMPURE) ?? []).slice(0, 1) : []),
  },
  {
    name: 'shared knows no time or chance but its system clock and its pages',
    reason: 'time is an argument, so that tests run days in milliseconds',
    violations: (file) =>
      room(file.path) === 'shared' &&
      file.path !== 'shared/system-clock.ts' &&
      !isOfNode(file.path) &&
      !isOfPages(file.path)
        ? (withoutComments(file.text).match(IMPURE) ?? []).slice(0, 1)
        : [],
  },
  {
    name: 'a device, database, broker or image library is named by its own driver only',
    reason: 'a library can then be changed in one place, and nothing leans on its habits',
    violations: (file) =>
      isProgram(file)
        ? file.imports
            .filter(
              ({ specifier, target }) =>
                target === null && !(DRIVER_PACKAGES[packageOf(specifier)]?.test(file.path) ?? true),
            )
            .map(({ specifier }) => specifier)
        : [],
  },
  {
    name: 'a library for cameras or sensors stays in the folder of its driver',
    reason: 'a device family can be added, changed or thrown out as one folder',
    violations: (file) =>
      DEVICE_ROOM.test(file.path) && deviceDriverOf(file.path) === null
        ? file.imports
            .map(({ specifier, target }) => (target === null ? packageOf(specifier) : ''))
            .filter((name) => name !== '' && !name.startsWith('node:') && !DEVICE_ROOM_PACKAGES.has(name))
        : [],
  },
  {
    name: 'a camera or sensor driver is reached through the list of its room, and the list by gateway-process.ts',
    reason: 'a new driver is one folder and one line, and nothing else knows which drivers there are',
    violations: (file) =>
      isProgram(file)
        ? file.imports
            .filter(({ target }) => {
              if (target === null) return false;
              const lists = Object.values(DRIVER_LISTS);
              if (lists.includes(target)) return file.path !== 'agent/gateway-process.ts';
              const driver = deviceDriverOf(target);
              return driver !== null && driver !== deviceDriverOf(file.path) && !lists.includes(file.path);
            })
            .map(({ specifier }) => specifier)
        : [],
  },
  {
    name: 'services import ports, never drivers',
    reason: 'main.ts composes; everything else can be run on a fake and on the next technology',
    violations: (file) =>
      isProgram(file) && !isDriver(file.path)
        ? file.imports
            .filter(
              ({ target }) =>
                target !== null &&
                isDriver(target) &&
                folderOf(target) !== folderOf(file.path) &&
                !isCompositionRoot(file.path),
            )
            .map(({ specifier }) => specifier)
        : [],
  },
  {
    name: 'only the settings read the environment',
    reason: 'a setting is parsed once, and a wrong one stops the start with its name',
    violations: (file) =>
      isProgram(file) &&
      !/(\/config|^shared\/node\/settings-file)\.ts$/.test(file.path) &&
      /\bprocess\.env\b/.test(withoutComments(file.text))
        ? ['process.env']
        : [],
  },
  {
    name: 'nothing imports main.ts, programs import nothing of test or scripts, the simulator nothing of test',
    reason: 'a program that needs its tests cannot be shipped',
    violations: (file) =>
      file.imports
        .filter(
          ({ target }) =>
            target !== null &&
            (baseName(target) === 'main.ts' ||
              (isProgram(file) && ['test', 'scripts'].includes(room(target))) ||
              (file.path.startsWith('scripts/sim/') && room(target) === 'test')),
        )
        .map(({ specifier }) => specifier),
  },
  {
    name: 'SQL is in the store and in -queries files only',
    reason: 'tables can change without a hunt through the house',
    violations: (file) =>
      isProgram(file) && !/^(agent|cloud\/kernel)\/store\/|-queries\.ts$/.test(file.path)
        ? (
            withoutComments(file.text).match(
              /\.(selectFrom|insertInto|updateTable|deleteFrom)\(|\b(SELECT|INSERT INTO|UPDATE|DELETE FROM) \w+/,
            ) ?? []
          ).slice(0, 1)
        : [],
  },
  {
    name: 'only a program ends the process',
    reason: 'a library that exits takes the rest of the gateway with it',
    violations: (file) =>
      isProgram(file) &&
      !/(^|\/)(main|[^/]*-child|[^/]*-process)\.ts$|^shared\/node\/program\.ts$/.test(file.path) &&
      /\bprocess\.exit\(/.test(withoutComments(file.text))
        ? ['process.exit']
        : [],
  },
  {
    name: 'what JSON.parse returns is checked, never given a type',
    reason: 'a type that nothing has checked holds until the first text that another version wrote',
    violations: (file) =>
      isProgram(file) && file.path !== 'shared/json-text-codec.ts' ? castsOfJson(file.path, file.text) : [],
  },
  {
    name: 'zones, places and cameras are deleted as their resources say',
    reason:
      'records of a gateway that was offline still name them: a row that is not kept turns them into dead letters',
    violations: (file) =>
      isProgram(file) && file.path !== 'cloud/kernel/store/deletion-queries.ts'
        ? [...withoutComments(file.text).matchAll(DELETES_KEPT_ROWS)].map(([found]) => found)
        : [],
  },
  {
    name: 'currencies and time zones are those of our tables',
    reason: "the runtime's tables change with its release: what is stored or shown would then mean something else",
    violations: (file) =>
      isProgram(file) && !OWN_TABLES.test(file.path)
        ? [...withoutComments(file.text).matchAll(RUNTIME_TABLES)].map(([found]) => found)
        : [],
  },
  {
    name: 'nothing in the cloud travels with work invisibly',
    reason: 'what a change belongs to is an argument: it can be read, and what is forgotten fails at once',
    violations: (file) =>
      room(file.path) === 'cloud'
        ? file.imports.map(({ specifier }) => specifier).filter((name) => /^(node:)?async_hooks$/.test(name))
        : [],
  },
  {
    name: 'a route makes its changes with the `change` of its call',
    reason: "a change of the store's own adds no audit entry, looks at no version and waits among those of the service",
    violations: (file) =>
      /^cloud\/(.*-routes\.ts$|rest\/endpoints\/)/.test(file.path)
        ? (withoutComments(file.text).match(/\b(store\.change|ownChange)\b/) ?? []).slice(0, 1)
        : [],
  },
  {
    name: 'what an error says is asked of errorText',
    reason:
      'the error of a connection to several addresses has no message of its own, and nobody learns why there is none',
    violations: (file) =>
      (isProgram(file) || room(file.path) === 'scripts') && !WITHOUT_ERROR_TEXT.test(file.path)
        ? [...withoutComments(file.text).matchAll(MESSAGE_OF_ERROR)].map(([found]) => found)
        : [],
  },
  {
    name: 'log lines name a request, an event, a gateway or a lot by the same keys',
    reason: 'what happened to one command is found by one search in the logs of all programs',
    violations: (file) =>
      isProgram(file) ? [...withoutComments(file.text).matchAll(OTHER_LOG_KEY)].map(([, key = '']) => key) : [],
  },
];

/** The client imports nothing of the service; `shared/errors.ts` has messages that it made itself. */
const WITHOUT_ERROR_TEXT = /^shared\/(client\/|error-text\.ts$|errors\.ts$)/;

/** `.message` of what was thrown or rejected, by the names that such things have here; what a schema refuses has `issues` as well. */
const MESSAGE_OF_ERROR =
  /(?<!(?:result|checked|parsed)\.)\b(?:error|err|cause|thrown|reason|unanswered|\w+Error)\)?\??\.message\b|\bmessage\b[^{};=]*\} = (?:error|err|cause|thrown)\b/g;
/** Where the tables of the runtime are asked, and what is true whatever they say. */
const OWN_TABLES = /^shared\/(counted-zone|zone-names)\.ts$|^cloud\/console\/wording\/money-format\.ts$/;
/** A currency's digits, a list of names, and clocks of a time zone that may not be known. */
const RUNTIME_TABLES =
  /\bstyle: 'currency'|\bsupportedValuesOf\b|new Intl\.DateTimeFormat\([^;]*?\btimeZone: (?!countedZone\(|')/g;

/** A key of a log line that other lines have under another name (`request_id`, `event_id`, `gateway_id` and `uuid`, `lot_id`). */
const OTHER_LOG_KEY =
  /\.(?:debug|info|warn|error)\(\s*\{(?:[^{}]*,)?\s*((?:request|event|gateway|lot|product|webhook|account)Id|gateway_?[uU]uid)\s*[,:}]/g;

/** Of the tables whose rows are kept, of those whose rows take them along, and of a table that is named at run time. */
const DELETES_KEPT_ROWS =
  /\b(?:deleteFrom\(|deleteRow\(\s*\w+,)\s*(?:'(?:accounts|lots|zones|parking_places|lpr_cameras|parking_gateways)'|[\w.]+ as '(?:accounts|lots|zones|events)')/g;

/** A pure file may name the types of its own room's schema or port (`import type`): types do nothing. */
function isTypeHome(file: SourceFile, target: string): boolean {
  const names = file.imports.filter((entry) => entry.target === target).map((entry) => entry.specifier);
  return names.every((specifier) => {
    const quoted = specifier.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
    const statements = file.text.match(new RegExp(`(import|export)[^;]*?from\\s+['"]${quoted}['"]`, 'g')) ?? [];
    return statements.every((statement) => /^(import|export) type\b/.test(statement));
  });
}

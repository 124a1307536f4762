import type { SourceFile } from './source-graph.js';

/** A rule of the house: why it is there, and what in a file breaks it. */
export interface Rule {
  name: string;
  reason: string;
  violations(file: SourceFile): string[];
}

const room = (path: string): string => path.split('/', 1)[0] ?? '';
const baseName = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/** Kinds of file, visible in the name. */
const PURE_NAME = /(-machine|-codec|-parser|-payload|-schemas)\.ts$|^(decide|price)-/;
export const isPure = (path: string): boolean => PURE_NAME.test(baseName(path)) && room(path) !== 'test';

const PROGRAM_ROOMS = new Set(['agent', 'cloud', 'shared']);
const isProgram = (file: SourceFile): boolean => PROGRAM_ROOMS.has(room(file.path));

/** Packages that stand for a device, a database, a broker or an image library, and the only files that may name them. */
export const DRIVER_PACKAGES: Record<string, RegExp> = {
  '@abandonware/noble': /^agent\/product\/(noble-radio|hci\/[^/]+)\.ts$/,
  '@abandonware/bleno': /^test\/sim\/radio\/[^/]+\.ts$/,
  '@abandonware/bluetooth-hci-socket': /^agent\/product\/hci\/[^/]+\.ts$/,
  'better-sqlite3': /^(agent|cloud)\/store\/[^/]*sqlite[^/]*\.ts$/,
  kysely: /^cloud\/store\//,
  mqtt: /^agent\/uplink\/mqtt-transport\.ts$/,
  aedes: /^cloud\/broker\/aedes-broker\.ts$/,
  sharp: /^agent\/lpr\/sharp-[^/]+\.ts$/,
  'modbus-serial': /^agent\/sensor\/modbus-[^/]+\.ts$/,
  'fast-xml-parser': /^agent\/lpr\/[^/]*(parser|xml)[^/]*\.ts$/,
  '@node-rs/argon2': /^cloud\/secrets\/[^/]+\.ts$/,
  ws: /^cloud\/realtime\/[^/]+\.ts$/,
  yaml: /^(cloud\/site\/[^/]+|cloud\/config|agent\/config)\.ts$/,
  commander: /^(agent|cloud)\/main\.ts$/,
  pino: /^(agent|cloud)\/main\.ts$/,
};

/** Files named by a technology; only the composition roots, workers' own parents and other drivers of the same folder know them. */
const DRIVER_NAME = /^(noble|aedes|mqtt|sqlite|child|file|hikvision|modbus|sharp)-.*\.ts$/;
export const isDriver = (path: string): boolean =>
  DRIVER_NAME.test(baseName(path)) && PROGRAM_ROOMS.has(room(path)) && !isPure(path);

const packageOf = (specifier: string): string =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
const folderOf = (path: string): string => path.slice(0, path.lastIndexOf('/'));

/** Comments may speak of what code may not do. */
const withoutComments = (text: string): string => text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '');

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
      room(file.path) === 'shared'
        ? file.imports
            .filter(({ target, specifier }) => (target === null ? specifier !== 'zod' : room(target) !== 'shared'))
            .map(({ specifier }) => specifier)
        : [],
  },
  {
    name: 'pure files import pure files or shared only',
    reason: 'what decides must give the same answer for the same input, always',
    violations: (file) =>
      isPure(file.path)
        ? file.imports
            .filter(({ target, specifier }) =>
              target === null
                ? !['zod', 'fast-xml-parser'].includes(specifier)
                : room(target) !== 'shared' && !isPure(target) && !isTypeHome(file, target),
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
    name: 'shared knows no time or chance but its system clock',
    reason: 'time is an argument, so that tests run days in milliseconds',
    violations: (file) =>
      room(file.path) === 'shared' && file.path !== 'shared/system-clock.ts'
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
    name: 'services import ports, never drivers',
    reason: 'main.ts composes; everything else can be run on a fake and on the next technology',
    violations: (file) =>
      isProgram(file) && baseName(file.path) !== 'main.ts' && !isDriver(file.path)
        ? file.imports
            .filter(({ target }) => target !== null && isDriver(target) && folderOf(target) !== folderOf(file.path))
            .map(({ specifier }) => specifier)
        : [],
  },
  {
    name: 'only config.ts reads the environment',
    reason: 'a setting is parsed once, and a wrong one stops the start with its name',
    violations: (file) =>
      isProgram(file) && baseName(file.path) !== 'config.ts' && /\bprocess\.env\b/.test(withoutComments(file.text))
        ? ['process.env']
        : [],
  },
  {
    name: 'nothing imports main.ts, and programs import nothing of test or scripts',
    reason: 'a program that needs its tests cannot be shipped',
    violations: (file) =>
      file.imports
        .filter(
          ({ target }) =>
            target !== null &&
            (baseName(target) === 'main.ts' || (isProgram(file) && ['test', 'scripts'].includes(room(target)))),
        )
        .map(({ specifier }) => specifier),
  },
  {
    name: 'SQL is in the store only',
    reason: 'tables can change without a hunt through the house',
    violations: (file) =>
      isProgram(file) && !/^(agent|cloud)\/store\//.test(file.path)
        ? (
            withoutComments(file.text).match(
              /\.(selectFrom|insertInto|updateTable|deleteFrom)\(|\b(SELECT|INSERT INTO|UPDATE|DELETE FROM) \w+/,
            ) ?? []
          ).slice(0, 1)
        : [],
  },
  {
    name: 'only main.ts ends the process',
    reason: 'a library that exits takes the rest of the gateway with it',
    violations: (file) =>
      isProgram(file) &&
      !/(^|\/)(main|[^/]*-child|[^/]*-process)\.ts$/.test(file.path) &&
      /\bprocess\.exit\(/.test(withoutComments(file.text))
        ? ['process.exit']
        : [],
  },
];

/** A pure file may name the types of its own room's schema or port (`import type`): types do nothing. */
function isTypeHome(file: SourceFile, target: string): boolean {
  const names = file.imports.filter((entry) => entry.target === target).map((entry) => entry.specifier);
  return names.every((specifier) => {
    const quoted = specifier.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
    const statements = file.text.match(new RegExp(`(import|export)[^;]*?from\\s+['"]${quoted}['"]`, 'g')) ?? [];
    return statements.every((statement) => /^(import|export) type\b/.test(statement));
  });
}

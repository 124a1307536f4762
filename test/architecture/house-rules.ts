import { circlesOf, circlesOfRooms } from './circles.js';
import { ENTRIES } from './entries.js';
import { roomOf, wingOf } from './rooms.js';
import { isPure } from './rules.js';
import { type SourceFile, withoutComments } from './source-graph.js';
import { wiringFaults } from './wiring.js';

/** A rule of the house that no file breaks alone: it is about what the files are to each other. */
export interface HouseRule {
  name: string;
  reason: string;
  violations(files: readonly SourceFile[]): string[];
}

/** It knows no database. */
const BELOW_STORE = 'cloud/kernel/measure';

export const HOUSE_RULES: HouseRule[] = [
  {
    name: 'no circle of imports, of types neither',
    reason: 'of two files that need each other none can be read, tried or changed first',
    violations: (files) => circlesOf(files).map((circle) => circle.join(' <-> ')),
  },
  {
    name: 'no circle of rooms, of types neither',
    reason: 'the house can be read from the bottom up, and what is hung on it has its place above what it needs',
    violations: (files) =>
      circlesOfRooms(files.filter(({ path }) => /^(agent|cloud|shared)\//.test(path))).flatMap(({ rooms, imports }) =>
        imports.map((each) => `${rooms.join(' <-> ')} by ${each}`),
      ),
  },
  {
    name: 'the store imports no subject',
    reason: 'a new subject, or another database, does not touch the kernel of all the others',
    violations: (files) =>
      crossings(files).flatMap(({ from, target, room }) =>
        roomOf(from) === 'cloud/kernel/store' && room !== BELOW_STORE ? [`${from}: ${target} of ${room}`] : [],
      ),
  },
  {
    name: 'the kernel names no table of a room',
    reason: 'a subject is changed where it is, and the kernel serves the next one as it is',
    violations(files) {
      const homes = homesOfTables(files);
      return files
        .filter(({ path }) => path.startsWith('cloud/kernel/') && !path.endsWith('-tables.ts'))
        .flatMap(({ path, text }) =>
          tablesNamedIn(text)
            .filter((table) => !(homes.get(table) ?? 'cloud/kernel/').startsWith('cloud/kernel/'))
            .map((table) => `${path}: ${table} of ${homes.get(table)}`),
        );
    },
  },
  {
    name: 'a wing of the cloud is entered by its entry.ts, the kernel by that of a room',
    reason: 'what is not named there can be changed by who changes the wing, without a look elsewhere',
    violations(files) {
      const browser = browserFiles(files);
      return files.flatMap(({ path, imports }) => {
        const own = wingOf(path);
        if (own === null || browser.has(path) || isPure(path)) return [];
        return imports.flatMap(({ target }) => {
          const wing = target === null ? null : wingOf(target);
          return wing === null || wing === own || target === entryOf(wing, target) ? [] : [`${path}: ${target}`];
        });
      });
    },
  },
  {
    name: "a room of the agent uses another's named entry, never its inside",
    reason: 'what is not named in entries.ts can be changed by who changes its room, without a look elsewhere',
    violations: (files) =>
      crossings(files)
        .filter(({ room, target }) => room.startsWith('agent/') && room !== 'agent/store' && !isEntry(room, target))
        .map(({ from, target }) => `${from}: ${target}`),
  },
  {
    name: 'a program that connects gives each address of a name time',
    reason: 'Node.js gives an address 250 ms, and over a slow road no address is ever reached',
    violations: (files) =>
      files
        .filter(({ path }) => PROGRAM.test(path))
        .flatMap(({ path }) => {
          const reached = reachedFrom(path, files);
          return reached.some(connects) && !reached.some((file) => file.path === ATTEMPTS) ? [path] : [];
        }),
  },
  {
    name: 'no member of a type `…Deps` may be missing',
    reason: 'what a part runs without is a value that says so, and one place says which, not each that makes it',
    violations: (files) => wiringFaults(files, 'ofDeps'),
  },
  {
    name: 'what a maker takes is complete',
    reason: 'a callback that nobody gave is a silence that nobody chose',
    violations: (files) => wiringFaults(files, 'ofMakers'),
  },
  {
    name: 'what a part is given is named, never spread from a bag',
    reason: 'who reads where a part is made sees what it needs, and from whom',
    violations: (files) => wiringFaults(files, 'spread'),
  },
  {
    name: 'an entry is used by another room',
    reason: 'the list of entries says how wide a room is open, and nothing else',
    violations(files) {
      const used = new Set(crossings(files).map(({ target }) => target));
      return Object.entries(ENTRIES).flatMap(([room, names]) =>
        names.map((name) => `${room}/${name}.ts`).filter((path) => !used.has(path)),
      );
    },
  },
];

/** The file that declares each table of the cloud. */
const homesOfTables = (files: readonly SourceFile[]): ReadonlyMap<string, string> =>
  new Map(
    files
      .filter(({ path }) => /^cloud\/.*-tables\.ts$/.test(path))
      .flatMap(({ path, text }) =>
        [...text.matchAll(/\binterface Database \{([^}]*)\}/g)]
          .flatMap(([, members = '']) => [...members.matchAll(/^\s*(\w+):/gm)])
          .map(([, table = '']) => [table, path] as const),
      ),
  );

/** In calls of Kysely, in SQL as text, and as the type of a table that is named at run time. */
const NAMED_TABLE =
  /\b(?:selectFrom|insertInto|updateTable|deleteFrom|\w+Join|sql\.table)\(\s*\[?\s*['`](\w+)|\b(?:from|join|into|update|delete from)\s+"?(\w+)|\bas '(\w+)|\b(?:Row|NewRow)<'(\w+)'/gi;

const tablesNamedIn = (text: string): string[] => [
  ...new Set([...withoutComments(text).matchAll(NAMED_TABLE)].flatMap((match) => match.slice(1).filter(Boolean))),
];

/** What is started by itself: programs, scripts, and the processes and threads that they start. */
const PROGRAM =
  /^(agent|cloud)\/main\.ts$|^scripts\/([^/]+|.*\/main)\.ts$|^(agent|cloud|scripts)\/.+\/[^/]+-(process|worker)\.ts$/;
const ATTEMPTS = 'shared/node/connection-attempts.ts';

const connects = ({ imports, text }: SourceFile): boolean =>
  /\bfetch\(/.test(text) ||
  imports.some(({ specifier }) => /^((node:)?(net|tls|https?)|mqtt|pg|ws|nodemailer)$/.test(specifier));

function reachedFrom(path: string, files: readonly SourceFile[]): SourceFile[] {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const reached = new Map<string, SourceFile>();
  const look = [path];
  for (let next = look.pop(); next !== undefined; next = look.pop()) {
    const file = byPath.get(next);
    if (file === undefined || reached.has(next)) continue;
    reached.set(next, file);
    look.push(...file.imports.flatMap(({ target }) => (target === null ? [] : [target])));
  }
  return [...reached.values()];
}

const isEntry = (room: string, target: string): boolean =>
  ENTRIES[room]?.some((name) => target === `${room}/${name}.ts`) ?? false;

/** Imports from one room into another. What stands outside the rooms (main.ts, cloud.ts, gateway.ts) puts them together and sees all. */
export function crossings(files: readonly SourceFile[]): { from: string; room: string; target: string }[] {
  return files.flatMap(({ path, imports }) => {
    const own = roomOf(path);
    if (own === null) return [];
    return imports.flatMap(({ target }) => {
      const room = target === null ? null : roomOf(target);
      return target === null || room === null || room === own ? [] : [{ from: path, room, target }];
    });
  });
}

/** The kernel has an entry for each of its rooms: nearly all of the cloud needs some of it, and nothing needs all. */
const entryOf = (wing: string, target: string | null): string =>
  `${wing === 'cloud/kernel' && target !== null ? roomOf(target) : wing}/entry.ts`;

/** What the scripts of the cloud's pages reach: they run in browsers, where an entry would bring the server along. */
function browserFiles(files: readonly SourceFile[]): ReadonlySet<string> {
  const importsOf = new Map(files.map(({ path, imports }) => [path, imports]));
  const reached = new Set<string>();
  const look = [...importsOf.keys()].filter((path) => /^cloud\/(console|guests\/guest-page)\/page\//.test(path));
  for (let path = look.pop(); path !== undefined; path = look.pop()) {
    if (reached.has(path)) continue;
    reached.add(path);
    look.push(...(importsOf.get(path) ?? []).flatMap(({ target }) => (target === null ? [] : [target])));
  }
  return reached;
}

import { circlesOf, circlesOfRooms } from './circles.js';
import { ENTRIES } from './entries.js';
import type { SourceFile } from './source-graph.js';

/** A rule of the house that no file breaks alone: it is about what the files are to each other. */
export interface HouseRule {
  name: string;
  reason: string;
  violations(files: readonly SourceFile[]): string[];
}

/** What is common to all subjects of the cloud: anybody may use it. */
const COMMON_ROOMS = new Set([
  'cloud/rest/http',
  'cloud/kernel/limit',
  'cloud/rest/list',
  'cloud/kernel/measure',
  'cloud/rest/resource',
  'cloud/rest/endpoints',
  'cloud/kernel/secrets',
  'cloud/kernel/store',
  'agent/store',
]);

/** It is no subject: it knows how to measure, and nothing of what. */
/** Rooms that know no database: measuring, and arithmetic with money. */
const BELOW_STORE: ReadonlySet<string> = new Set(['cloud/kernel/measure', 'cloud/kernel/price']);

/** `cloud/traffic/session` of `cloud/traffic/session/amount-due.ts`; null for what is in no room of a program. */
export const roomOf = (path: string): string | null => /^(?:agent|cloud)\/[^/]+(?=\/)/.exec(path)?.[0] ?? null;

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
        roomOf(from) === 'cloud/kernel/store' && !BELOW_STORE.has(room) ? [`${from}: ${target} of ${room}`] : [],
      ),
  },
  {
    name: "one room uses another's named entry, never its inside",
    reason: 'what is not named in entries.ts can be changed by who changes its room, without a look elsewhere',
    violations: (files) =>
      crossings(files)
        .filter(({ room, target }) => !COMMON_ROOMS.has(room) && !isEntry(room, target))
        .map(({ from, target }) => `${from}: ${target}`),
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

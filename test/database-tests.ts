/** Finds the tests whose cloud has a database that the run chooses: those that are worth a second run on PostgreSQL. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { importsOf } from './architecture/source-graph.js';

/** What a module does that opens such a database: by itself, or in a program that it starts. */
const OPENS_DATABASE = /\bopenMigratedStore\(|\bstartProgram\('(?:cloud|test\/sim\/double)\//;
/** Other programs of the tests' own are named so. */
const PROGRAM_URL = /new URL\('(\.[^']+\.js)', import\.meta\.url\)/g;

interface Module {
  opensDatabase: boolean;
  imports: string[];
}

function readModule(path: string): Module {
  const text = readFileSync(path, 'utf8');
  const named = [...importsOf(path, text), ...[...text.matchAll(PROGRAM_URL)].map(([, name = '']) => name)];
  const files = named.filter((name) => name.startsWith('.')).map((name) => join(dirname(path), name));
  return { opensDatabase: OPENS_DATABASE.test(text), imports: files.filter((file) => existsSync(file)) };
}

/**
 * What of the tests that have a database the deep tier repeats on PostgreSQL: the rooms that write in a way of their own, by locks, queues,
 * cursors or statements that differ between databases, what every answer is held to, and the stories. Only in `npm run test:postgres` are
 *
 * - of the rooms: api-token, audit, broker, cli, client, console, demo, double, peers and tls, which reach the database through the rooms here,
 *   or not at all;
 * - of `http` what is not named below: what is the same on every database, such as headers, forms and documents;
 * - what starts programs or a browser (`browser`, `deep`, `generated-client`), faults of a database, and all that is `.deep`;
 * - `unit`: what reads a site file or a command line, and asks the database nothing that the rooms do not.
 */
const DEEP_ROOMS =
  'store list session zone lot account key alert mail webhook weblink realtime ingest gateway configuration command ' +
  'product terminal auth access camera display pairing plan reading sensor';
/** Requests that race each other for the same rows. */
const RACES = ['races', 'record-versions'].map((name) => join('integration', 'http', `${name}.test.js`));
const DEEP_PARTS = [
  ...DEEP_ROOMS.split(' ').map((room) => join('integration', room, '/')),
  ...RACES,
  join('contract', '/'),
  join('stories', '/'),
];

/** Of the tests that are in the deep tier only: those in which something dies, or moves on, with what its database holds. */
const DYING = ['agent-killed', 'cloud-program', 'fleet', 'mail-kill', 'release-kill', 'webhook-kill'];
/** The plans and backups of SQLite, and what tries both databases already. */
const ALIKE = ['session/session-plans', 'list/list-plans', 'cli/backup', 'cli/move.deep', 'cli/database-url.deep'];

/** @param root of the compiled tests, such as `dist/test`. @returns the paths of all that are worth a run on PostgreSQL */
export function allDatabaseTests(root: string): string[] {
  const isOneOf = (names: readonly string[], path: string) =>
    names.some((name) => path.endsWith(join('/', `${name}.test.js`)));
  return databaseTests(root).filter(
    (path) => !isOneOf(ALIKE, path) && (!path.startsWith(join(root, 'deep', '/')) || isOneOf(DYING, path)),
  );
}

/** @returns those of them that the deep tier runs */
export const deepDatabaseTests = (root: string): string[] =>
  allDatabaseTests(root).filter(
    (path) => !path.endsWith('.deep.test.js') && DEEP_PARTS.some((part) => path.startsWith(join(root, part))),
  );

/** @param folder of compiled tests, such as `dist/test`. @returns the paths of those that open a database, or import what does */
function databaseTests(folder: string): string[] {
  const modules = new Map<string, Module>();
  const moduleOf = (path: string): Module => {
    const module = modules.get(path) ?? readModule(path);
    modules.set(path, module);
    return module;
  };
  const reachesDatabase = (test: string): boolean => {
    const reached = new Set([test]);
    // What is added meanwhile is looked at, too.
    for (const path of reached) {
      const { opensDatabase, imports } = moduleOf(path);
      if (opensDatabase && !path.endsWith('migrated-store.js')) return true;
      for (const each of imports) reached.add(each);
    }
    return false;
  };
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.js'))
    .map((name) => join(folder, name))
    .filter(reachesDatabase);
}

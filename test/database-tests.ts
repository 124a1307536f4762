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

/**
 * @returns those of them that the deep tier runs: the stories, in which every room has its part. The rooms themselves are the same tests as in
 * `npm run test:postgres`, which has all of them, and in the long tier, which has all of their runs: here they would show nothing more, and
 * take a quarter of an hour.
 */
export const deepDatabaseTests = (root: string): string[] =>
  allDatabaseTests(root).filter(
    (path) => path.startsWith(join(root, 'stories', '/')) && !path.endsWith('.deep.test.js'),
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

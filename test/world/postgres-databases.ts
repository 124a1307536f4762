/** Databases of tests on the run's PostgreSQL server: each is a copy of one whose schema is the newest. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';
import { MIGRATIONS } from '../../cloud/all-migrations.js';
import { createPostgresStore } from '../../cloud/kernel/store/postgres/postgres-store.js';
import { silentLogger } from '../../shared/logger.js';
import { systemClock } from '../../shared/system-clock.js';
import { findPostgres } from '../../scripts/machines/find-programs.js';
import { startPostgres } from './postgres-server.js';

/** Where the processes of the tests find the server. */
const SERVER = 'TEST_POSTGRES';
/** The database that others are copies of. */
export const TEMPLATE = 'migrated';

/** Whether the tests' stores are to be on PostgreSQL, instead of in files. */
export const onPostgres = (): boolean => process.env['TEST_DATABASE'] === 'postgres';

/** Whether there is a server. Without one its tests are skipped, but not where CI says that all have to run. */
export const hasPostgres = (): boolean => process.env[SERVER] !== undefined;

/** For the runner's set-up: starts the server, and returns what ends it. */
export async function startTestServer(): Promise<() => Promise<void>> {
  if (findPostgres() === null) {
    if (process.env['CI'] !== undefined) {
      throw new Error('PostgreSQL is not installed: scripts/setup --test installs it');
    }
    return async () => {};
  }
  const server = await startPostgres();
  await server.run(`create database ${TEMPLATE}`);
  const store = await createPostgresStore({ url: server.url(TEMPLATE), clock: systemClock, logger: silentLogger });
  await store.migrate(MIGRATIONS);
  await store.close();
  process.env[SERVER] = server.url('postgres');
  return () => server.remove();
}

/** The databases that this process made, by the path whose directory they go with, once it was there. */
const made = new Map<string, { name: string; wasThere: boolean }>();

/** Makes the database for a path, unless it is there already. @returns its address */
export async function postgresFor(path: string): Promise<string> {
  const name = nameOf(path);
  const isNew = await createDatabase(name, { template: TEMPLATE });
  if (isNew) made.set(path, { name, wasThere: false });
  await dropForgotten();
  return postgresUrl(name);
}

async function dropForgotten(): Promise<void> {
  for (const [path, database] of made) {
    if (existsSync(dirname(path))) {
      database.wasThere = true;
    } else if (database.wasThere) {
      made.delete(path);
      await dropDatabase(database.name);
    }
  }
}

/** Does the same for who cannot wait: another process makes it. @returns its address */
export function postgresForSync(path: string): string {
  const name = nameOf(path);
  if (!made.has(path)) {
    execFileSync(process.execPath, [fileURLToPath(new URL('./make-postgres-database.js', import.meta.url)), path]);
    made.set(path, { name, wasThere: false });
  }
  return postgresUrl(name);
}

const nameOf = (path: string): string => `t_${createHash('sha256').update(path).digest('hex').slice(0, 24)}`;

/** The address of a database of the server. */
export function postgresUrl(database: string): string {
  const url = new URL(process.env[SERVER] ?? '');
  url.pathname = `/${database}`;
  return url.href;
}

/** @param options.template left out: an empty one. @returns false when there is one of this name */
export async function createDatabase(name: string, { template }: { template?: string } = {}): Promise<boolean> {
  const rows = await ask(`select 1 from pg_database where datname = '${name}'`);
  if (rows.length > 0) return false;
  await ask(`create database ${name} template ${template ?? 'template0'} encoding UTF8`);
  return true;
}

export async function dropDatabase(name: string): Promise<void> {
  await ask(`drop database if exists ${name} with (force)`);
}

/** Runs one statement on the server. */
export async function ask(statement: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: process.env[SERVER] });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(statement)).rows;
  } finally {
    await client.end();
  }
}

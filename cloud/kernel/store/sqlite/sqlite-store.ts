/** Driver: the cloud's database as one SQLite file, with a writer, a reader and those that reports need in worker threads. */
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { Kysely, sql } from 'kysely';
import { every, type Clock, type Timer } from '../../../../shared/clock.js';
import type { Logger } from '../../../../shared/logger.js';
import { type CloudStore, StoreError } from '../cloud-store.js';
import type { DatabaseDriver } from '../database-driver.js';
import { createListeners } from '../listeners.js';
import type { Database } from '../schema.js';
import type { ForeignChange } from '../written-tables.js';
import { createStoreKernel, type StoreKernelOptions } from '../store-kernel.js';
import { adoptBackup } from './backup-mark.js';
import { openSqliteConnection, type SqliteConnection } from './sqlite-connection.js';
import { createSqliteDialect } from './sqlite-dialect.js';
import { createSqliteReports } from './sqlite-reports.js';

const BUSY_TIMEOUT_MS = 5_000;
const FOREIGN_CHANGE_POLL_MS = 1_000;

export interface CloudStoreOptions extends Omit<StoreKernelOptions, 'driver'> {
  /** `sqlite:PATH`; if the file or its directory is missing, it is created, and only its owner can read it. */
  url: string;
}

/** Returns the path in a `sqlite:PATH`. */
export function databasePathOf(url: string): string {
  const path = url.startsWith('sqlite:') ? url.slice('sqlite:'.length) : '';
  if (path === '' || path === ':memory:') {
    throw new StoreError('io', `Cannot open the database ${url}: it must be sqlite:PATH of a file`);
  }
  return path;
}

/** Creates the database file first, because the log and the shared-memory file get its rights. */
export function createOwnersFile(path: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    closeSync(openSync(path, 'a', 0o600));
  } catch (error) {
    throw new StoreError('io', `Cannot write the database file ${path}: check its directory's owner and rights`, {
      cause: error,
    });
  }
}

/** Opens the database; the schema is brought up to date by `migrate()`. */
export async function createCloudStore({ url, ...options }: CloudStoreOptions): Promise<CloudStore> {
  const path = databasePathOf(url);
  createOwnersFile(path);
  adoptBackup(path);
  return createStoreKernel({ ...options, driver: await openSqliteDriver({ ...options, path }) });
}

async function openSqliteDriver(options: { path: string; clock: Clock; logger: Logger }): Promise<DatabaseDriver> {
  const connections = await openConnections(options.path);
  const writer = openDatabase(connections.writer, 'begin immediate');
  const reader = openDatabase(connections.reader, 'begin');
  const reports = createSqliteReports({
    open: () => openConnection(options.path, { readonly: true }),
    clock: options.clock,
  });
  const foreignCommits = await watchForeignCommits({ ...options, connection: connections.writer });
  return {
    writer,
    writersMax: 1,
    migrator: writer,
    reader,
    report: reports.run,
    // The one writer holds every lock.
    async lock() {},
    tryLock: async () => true,
    // A version of its own the schema does not have: it stays 0.
    disk: { path: options.path, rewrite: (tx) => sql`pragma user_version = 0`.execute(tx) },
    // The one process that is beside it now and then is a tool.
    peers: null,
    // They look at the file.
    notifyCommit() {},
    onForeignCommit: foreignCommits.add,
    async close() {
      foreignCommits.stop();
      // The readers come first: the last connection folds the log into the file, and a reader cannot. Kysely closes only what it used.
      await reports.close();
      for (const [db, connection] of [
        [reader, connections.reader],
        [writer, connections.writer],
      ] as const) {
        await db.destroy();
        await connection.close();
      }
    },
  };
}

const openConnection = (
  path: string,
  { readonly, ready }: { readonly: boolean; ready?: Promise<unknown> },
): Promise<SqliteConnection> => openSqliteConnection({ path, readonly, busyTimeoutMs: BUSY_TIMEOUT_MS }, ready);

async function openConnections(path: string): Promise<Record<'writer' | 'reader', SqliteConnection>> {
  const writing = openConnection(path, { readonly: false });
  // A reader cannot turn the log on; its thread starts beside the writer's.
  const reading = openConnection(path, { readonly: true, ready: writing });
  const [, reader] = await Promise.allSettled([writing, reading]);
  const writer = await writing;
  if (reader.status === 'fulfilled') return { writer, reader: reader.value };
  await writer.close();
  throw reader.reason;
}

function openDatabase(connection: SqliteConnection, begin: 'begin' | 'begin immediate'): Kysely<Database> {
  return new Kysely<Database>({ dialect: createSqliteDialect({ connection, begin }) });
}

/** Asks SQLite every second, once there is a listener, whether another connection has committed since the database was opened. */
async function watchForeignCommits(options: { connection: SqliteConnection; clock: Clock; logger: Logger }) {
  const { connection, clock, logger } = options;
  const listeners = createListeners<ForeignChange>(logger);
  let timer: Timer | undefined;
  let stopped = false;
  let known = await readDataVersion(connection);

  async function poll(): Promise<void> {
    const version = await readDataVersion(connection);
    if (version === known) return;
    known = version;
    listeners.notify({ written: 'any', isOfTool: true });
  }

  function onError(error: unknown): void {
    if (!stopped) logger.warn({ err: error }, 'Could not look for changes by other processes');
  }

  return {
    add(listener: (change: ForeignChange) => void): () => void {
      timer ??= every({ clock, periodMs: FOREIGN_CHANGE_POLL_MS, work: poll, onError });
      return listeners.add(listener);
    },
    stop(): void {
      stopped = true;
      timer?.cancel();
    },
  };
}

/** Reads a number that changes when another connection commits, and never by commits of this connection. */
async function readDataVersion(connection: SqliteConnection): Promise<number> {
  const { rows } = await connection.query('pragma data_version');
  const [row] = rows as { data_version: number }[];
  if (row === undefined) throw new StoreError('query', 'SQLite has no data_version');
  return row.data_version;
}

/** Driver: the cloud's database as one SQLite file, with a writer and two readers in worker threads. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { Kysely } from 'kysely';
import { every, type Clock, type Timer } from '../../shared/clock.js';
import { createLimitedQueue } from '../../shared/limited-queue.js';
import type { Logger } from '../../shared/logger.js';
import { type AuditScope, auditScope } from './audit-scope.js';
import { type CloudStore, type Db, type EventRecorder, type JournalEvent, StoreError } from './cloud-store.js';
import { createEventCollector } from './event-recorder.js';
import { migrateToLatest } from './migrate.js';
import { MIGRATIONS } from './migrations/all-migrations.js';
import type { Database } from './schema.js';
import { openSqliteConnection, type SqliteConnection } from './sqlite-connection.js';
import { createSqliteDialect } from './sqlite-dialect.js';
import { createWrittenTables } from './written-tables.js';

const BUSY_TIMEOUT_MS = 5_000;
const CHANGES_WAITING_MAX = 10_000;
const FOREIGN_CHANGE_POLL_MS = 1_000;

export interface CloudStoreOptions {
  /** `sqlite:PATH`; the file and its directory are made when missing, readable by their owner only. */
  url: string;
  clock: Clock;
  logger: Logger;
}

/** The file behind a `sqlite:PATH`. */
export function databasePathOf(url: string): string {
  const path = url.startsWith('sqlite:') ? url.slice('sqlite:'.length) : '';
  if (path === '' || path === ':memory:') {
    throw new StoreError('io', `Cannot open the database ${url}: it must be sqlite:PATH of a file`);
  }
  return path;
}

/** The log and the shared memory file get the rights of the database file, so that it is made first. */
function makeOwnersFile(path: string): void {
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
export async function createCloudStore({ url, clock, logger }: CloudStoreOptions): Promise<CloudStore> {
  const path = databasePathOf(url);
  makeOwnersFile(path);
  const connections = await openConnections(path);
  const written = createWrittenTables();
  const writer = new Kysely<Database>({
    dialect: createSqliteDialect({
      connection: connections.writer,
      begin: 'begin immediate',
      onStatement: written.statement,
    }),
  });
  const reader = openReader(connections.reader);
  const reports = openReader(connections.reports);
  const changes = createLimitedQueue({ name: 'database changes', concurrency: 1, waitingMax: CHANGES_WAITING_MAX });
  const insideChange = new AsyncLocalStorage<{ active: boolean }>();
  const eventListeners = new Set<(events: JournalEvent[]) => void>();
  const foreignChanges = await watchForeignChanges({ connection: connections.writer, clock, logger });
  let closing: Promise<void> | undefined;

  function push(events: JournalEvent[]): void {
    if (events.length > 0) tellAll(eventListeners, events, logger);
  }

  async function runChange<T>(
    work: (tx: Db, events: EventRecorder) => Promise<T>,
    audit: AuditScope | undefined,
  ): Promise<T> {
    const collector = createEventCollector(() => clock.now());
    const scope = { active: true };
    written.begin();
    try {
      const { result, events } = await writer.transaction().execute((tx) =>
        insideChange.run(scope, async () => {
          const done = await work(tx, collector.recorder);
          await audit?.write(tx, clock.now());
          return { result: done, events: await collector.write(tx) };
        }),
      );
      tellAll(written.listeners(), undefined, logger);
      audit?.committed();
      push(events);
      return result;
    } finally {
      scope.active = false;
    }
  }

  return {
    reader,
    reports,
    change(work) {
      if (closing !== undefined) return Promise.reject(new StoreError('closed', 'The database is closed'));
      if (insideChange.getStore()?.active) {
        // It would wait for itself for ever.
        return Promise.reject(new StoreError('query', 'A change cannot be begun inside a change'));
      }
      const audit = auditScope();
      return changes.run(() => runChange(work, audit));
    },
    onEvents(listener) {
      eventListeners.add(listener);
      return () => void eventListeners.delete(listener);
    },
    onWritten: written.add,
    onForeignChange: (listener) => foreignChanges.add(listener),
    migrate: () => changes.run(() => migrateToLatest(writer, MIGRATIONS)),
    close() {
      closing ??= (async () => {
        foreignChanges.stop();
        await changes.idle();
        // Kysely lets go of a connection it has used only. The readers' first: the last one folds the log into the file.
        for (const db of [reports, reader, writer]) await db.destroy();
        for (const connection of [connections.reports, connections.reader, connections.writer])
          await connection.close();
      })();
      return closing;
    },
  };
}

async function openConnections(path: string): Promise<Record<'writer' | 'reader' | 'reports', SqliteConnection>> {
  const opened: SqliteConnection[] = [];
  const open = async (readonly: boolean): Promise<SqliteConnection> => {
    const connection = await openSqliteConnection({ path, readonly, busyTimeoutMs: BUSY_TIMEOUT_MS });
    opened.push(connection);
    return connection;
  };
  try {
    return { writer: await open(false), reader: await open(true), reports: await open(true) };
  } catch (error) {
    for (const connection of opened) await connection.close();
    throw error;
  }
}

function openReader(connection: SqliteConnection): Kysely<Database> {
  return new Kysely<Database>({ dialect: createSqliteDialect({ connection, begin: 'begin' }) });
}

function tellAll<T>(listeners: ReadonlySet<(told: T) => void>, told: T, logger: Logger): void {
  for (const listener of listeners) {
    try {
      listener(told);
    } catch (error) {
      logger.error({ err: error }, 'A listener of the database failed');
    }
  }
}

/** Asks SQLite every second, once there is a listener, whether another connection has committed since the database was opened. */
async function watchForeignChanges(options: { connection: SqliteConnection; clock: Clock; logger: Logger }) {
  const { connection, clock, logger } = options;
  const listeners = new Set<() => void>();
  let timer: Timer | undefined;
  let stopped = false;
  let known = await readDataVersion(connection);

  async function poll(): Promise<void> {
    const version = await readDataVersion(connection);
    if (version === known) return;
    known = version;
    tellAll(listeners, undefined, logger);
  }

  function onError(error: unknown): void {
    if (!stopped) logger.warn({ err: error }, 'Could not look for changes by other processes');
  }

  return {
    add(listener: () => void): () => void {
      listeners.add(listener);
      timer ??= every({ clock, periodMs: FOREIGN_CHANGE_POLL_MS, work: poll, onError });
      return () => void listeners.delete(listener);
    },
    stop(): void {
      stopped = true;
      timer?.cancel();
    },
  };
}

/** Changes when another connection commits, never by this connection's own commits. */
async function readDataVersion(connection: SqliteConnection): Promise<number> {
  const { rows } = await connection.query('pragma data_version');
  const [row] = rows as { data_version: number }[];
  if (row === undefined) throw new StoreError('query', 'SQLite told no data_version');
  return row.data_version;
}

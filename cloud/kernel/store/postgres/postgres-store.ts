/** Driver: the cloud's database on a PostgreSQL server, with many writers. */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { Clock } from '../../../../shared/clock.js';
import type { Logger } from '../../../../shared/logger.js';
import type { CloudStore, Db } from '../cloud-store.js';
import type { DatabaseDriver } from '../database-driver.js';
import { createStoreKernel, type StoreKernelOptions } from '../store-kernel.js';
import { openKysely } from './postgres-dialect.js';
import { openPostgresNotices } from './postgres-notices.js';
import { createPostgresPeers, type PostgresPeers } from './postgres-peers.js';
import { openPool } from './postgres-pool.js';
import { createPostgresReports } from './postgres-reports.js';
import { requireUsableDatabase } from './postgres-requirements.js';
import { createPreparedStatements } from './prepared-statements.js';
import { admittedBy, createServerPool, type ServerPool } from './server-pool.js';
import { openServerWatch, type ServerWatch } from './server-watch.js';

/**
 * How many connections a process opens at most; one more hears of other processes, and one looks where the address leads. What processes settle among themselves, and what they tell
 * each other, each has one at any time.
 */
const CONNECTIONS = { writers: 8, readers: 4, reports: 6, apart: 2 } as const;
/** How long a statement may take: longer than any lock is waited for, and than any report may take. */
const STATEMENT_MS_MAX = { writers: 120_000, readers: 40_000, reports: 40_000, apart: 3_000 } as const;
/** Whoever waits for longer than this seems dead to others. */
const APART_LIMITS = { lockMsMax: 2_000, connectMsMax: 3_000 } as const;
/** A migration may go through all rows that there are. */
const MIGRATION_MS_MAX = 24 * 3_600_000;

/** Tables that all processes look at again and again by themselves. */
const OWN_TABLES: ReadonlySet<string> = new Set(['cloud_processes', 'gateway_leases']);

export interface PostgresStoreOptions extends Omit<StoreKernelOptions, 'driver'> {
  /** `postgres://USER:PASSWORD@HOST:PORT/DATABASE`; `?sslmode=verify-full&sslrootcert=FILE` for TLS. */
  url: string;
}

/**
 * Opens the database; the schema is brought up to date by `migrate()`.
 * @throws StoreError that says what to do, when the server cannot be reached or is not one that this program can work with
 */
export async function createPostgresStore(options: PostgresStoreOptions): Promise<CloudStore> {
  return createStoreKernel({ ...options, driver: await openPostgresDriver(options) });
}

async function openPostgresDriver(options: { url: string; clock: Clock; logger: Logger }): Promise<DatabaseDriver> {
  await requireUsableDatabase(options.url);
  const processId = randomUUID();
  const membership = { isRequired: false };
  const { url, clock, logger } = options;
  const server = await openServerWatch({ url, processId, clock, logger });
  const open = (whose: keyof typeof CONNECTIONS) => openConnections({ url, logger, processId, server, whose });
  const writers = open('writers');
  const readers = open('readers');
  const apart = open('apart');
  const reports = createPostgresReports({ pool: open('reports'), cancelling: readers });
  const isTool = () => !membership.isRequired;
  const notices = await openPostgresNotices({ ...options, processId, isTool, pool: apart, server }).catch(
    async (error: unknown) => {
      await server.close();
      throw error;
    },
  );
  const peers: PostgresPeers = createPostgresPeers({
    ...options,
    processId,
    notices,
    readers,
    membership,
    apart: openKysely({
      connect: () => apart.connect(),
      begin: () => peers.begin(),
      isCurrent: server.isCurrent,
      onRefused: () => peers.noteExpelled(),
    }),
    lock: acquireLocks,
  });
  return {
    // Transactions see what others committed before each statement; what has to be alone with its rows takes its lock first.
    writer: openKysely({
      connect: () => writers.connect(),
      begin: peers.begin,
      isCurrent: server.isCurrent,
      prepared: createPreparedStatements(),
      onRefused: peers.noteExpelled,
    }),
    writersMax: CONNECTIONS.writers,
    migrator: openKysely({ connect: () => writers.connect(), begin: () => 'begin', statementMsMax: MIGRATION_MS_MAX }),
    reader: openKysely({
      connect: () => readers.connect(),
      begin: () => 'begin isolation level repeatable read read only',
    }),
    report: reports.run,
    lock: acquireLocks,
    tryLock: tryLocks,
    disk: null,
    peers,
    notifyCommit(written) {
      if (written === 'any' || [...written].some((name) => !OWN_TABLES.has(name))) notices.notifyCommit(written);
    },
    onForeignCommit: notices.onForeign,
    async close() {
      await notices.close();
      await reports.close();
      for (const pool of [readers, writers, apart]) await pool.end();
      await server.close();
    },
  };
}

/** The connections of this process for one purpose, all at the server to which the address leads. */
function openConnections(of: {
  url: string;
  logger: Logger;
  processId: string;
  server: ServerWatch;
  whose: keyof typeof CONNECTIONS;
}): ServerPool {
  const { url, logger, processId, server, whose } = of;
  const connectionsMax = CONNECTIONS[whose];
  const pool = openPool({
    url,
    logger,
    processId,
    verify: admittedBy(server),
    isReadOnly: whose === 'readers' || whose === 'reports',
    connectionsMax,
    statementMsMax: STATEMENT_MS_MAX[whose],
    ...(whose === 'apart' ? APART_LIMITS : {}),
  });
  return createServerPool({ pool, connectionsMax, server });
}

/** Locks by name, held until the transaction ends. They are acquired one after another, in the order of the names. */
async function acquireLocks(tx: Db, names: readonly string[]): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(name, 0))
    from (select name from unnest(cast(${names} as text[])) with ordinality as wanted(name, place) order by place) as ordered
  `.execute(tx);
}

async function tryLocks(tx: Db, names: readonly string[]): Promise<boolean> {
  const { rows } = await sql<{ is_free: boolean }>`
    select bool_and(pg_try_advisory_xact_lock(hashtextextended(name, 0))) as is_free
    from unnest(cast(${names} as text[])) as wanted(name)
  `.execute(tx);
  return rows[0]?.is_free === true;
}

/** Driver: long reads, each on a connection of its own while it runs. */
import { setMaxListeners } from 'node:events';
import type { PoolClient } from 'pg';
import type { ServerPool } from './server-pool.js';
import { StoreError } from '../cloud-store.js';
import type { DatabaseDriver } from '../database-driver.js';
import { openKysely, type PostgresClient } from './postgres-dialect.js';
import { toStoreError } from './postgres-errors.js';

const BEGIN = 'begin isolation level repeatable read read only';
/** A server that does not take the order does not run the statement either. */
const CANCEL_MS_MAX = 5_000;

interface ReportsDeps {
  pool: ServerPool;
  /** Where the order to cancel a statement is sent, which another connection has to do. */
  cancelling: Pick<ServerPool, 'query'>;
}

export function createPostgresReports(deps: ReportsDeps): { run: DatabaseDriver['report']; close(): Promise<void> } {
  const closing = new AbortController();
  // Each report that runs listens to it.
  setMaxListeners(0, closing.signal);
  const run: DatabaseDriver['report'] = async (work, given) => {
    const signal = AbortSignal.any([given, closing.signal]);
    signal.throwIfAborted();
    const client = await connect(deps.pool);
    const lent = lend(client);
    let cancelled: Promise<void> = Promise.resolve();
    const cancel = () => {
      cancelled = cancelStatement(deps, lent);
    };
    signal.addEventListener('abort', cancel, { once: true });
    const db = openKysely({ connect: async () => lent.client, begin: () => BEGIN, signal });
    try {
      return await work(db);
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    } finally {
      signal.removeEventListener('abort', cancel);
      // The order must not arrive when the connection is at the next one's work.
      await cancelled;
      client.release(lent.isBroken());
    }
  };
  return {
    run,
    async close() {
      closing.abort(new StoreError('closed', 'The database is closed'));
      await deps.pool.end();
    },
  };
}

interface LentClient {
  client: PostgresClient;
  /** The number of the server's process for this connection, by which a statement is cancelled. */
  processId: number;
  isBusy(): boolean;
  isBroken(): boolean;
}

/** The client for a Kysely that gives it back to this file, and not to the pool. */
function lend(client: PoolClient): LentClient {
  let isBroken = false;
  let statements = 0;
  const query = async (...args: Parameters<PoolClient['query']>) => {
    statements += 1;
    try {
      return await (client.query as (...given: typeof args) => Promise<unknown>).apply(client, args);
    } finally {
      statements -= 1;
    }
  };
  return {
    client: {
      query: query as unknown as PoolClient['query'],
      release(broken) {
        isBroken ||= Boolean(broken);
      },
    },
    processId: (client as PoolClient & { processID: number }).processID,
    isBusy: () => statements > 0,
    isBroken: () => isBroken,
  };
}

async function connect(pool: ServerPool): Promise<PoolClient> {
  try {
    return await pool.connect();
  } catch (error) {
    throw toStoreError(error, 'connect');
  }
}

/** An order that comes before the statement has reached the server does nothing, so it is given until the statement has ended. */
async function cancelStatement({ cancelling }: ReportsDeps, lent: LentClient): Promise<void> {
  while (lent.isBusy()) {
    try {
      const order = { text: 'select pg_cancel_backend($1)', values: [lent.processId], query_timeout: CANCEL_MS_MAX };
      await cancelling.query(order);
    } catch {
      // The server cannot be reached, or is closed, and the statement's own connection will tell.
      return;
    }
  }
}

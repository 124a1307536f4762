/** Driver: long reads, each on a connection of its own while it runs. */
import { Kysely } from 'kysely';
import type { Pool, PoolClient } from 'pg';
import type { DatabaseDriver } from '../database-driver.js';
import type { Database } from '../schema.js';
import { createPostgresDialect } from './postgres-dialect.js';
import { toStoreError } from './postgres-errors.js';

const BEGIN = 'begin isolation level repeatable read read only';

/** @param options.cancelling where the order to cancel a statement is sent, which another connection has to do */
export function createPostgresReports(options: { pool: Pool; cancelling: Pool }): DatabaseDriver['report'] {
  const { pool, cancelling } = options;
  return async (work, signal) => {
    signal.throwIfAborted();
    const client = await connect(pool);
    let isBroken = false;
    let cancelled: Promise<void> = Promise.resolve();
    const cancel = () => {
      cancelled = cancelStatement(cancelling, client).catch(() => {
        isBroken = true;
      });
    };
    signal.addEventListener('abort', cancel, { once: true });
    if (signal.aborted) cancel();
    const lent = {
      query: client.query.bind(client) as PoolClient['query'],
      release: (broken?: Error | boolean) => {
        isBroken ||= Boolean(broken);
      },
    };
    const db = new Kysely<Database>({
      dialect: createPostgresDialect({ connect: async () => lent, begin: BEGIN, signal }),
    });
    try {
      return await work(db);
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    } finally {
      signal.removeEventListener('abort', cancel);
      // The order must not arrive when the connection is at the next one's work.
      await cancelled;
      client.release(isBroken);
    }
  };
}

async function connect(pool: Pool): Promise<PoolClient> {
  try {
    return await pool.connect();
  } catch (error) {
    throw toStoreError(error, 'connect');
  }
}

async function cancelStatement(pool: Pool, client: PoolClient): Promise<void> {
  await pool.query('select pg_cancel_backend($1)', [processIdOf(client)]);
}

/** The number of the server's process for this connection, by which a statement is cancelled. */
const processIdOf = (client: PoolClient): number => (client as PoolClient & { processID: number }).processID;

/** A pool whose connections are all at the server to which the address of the database leads. */
import { callbackify } from 'node:util';
import type { Pool, PoolClient, QueryConfig, QueryResult, QueryResultRow } from 'pg';
import { StoreError } from '../cloud-store.js';
import type { PoolOptions } from './postgres-pool.js';
import type { ServerWatch } from './server-watch.js';

export interface ServerPool {
  /** @throws StoreError `read_only` when the address leads to a standby; `io` when it leads here and there */
  connect(): Promise<PoolClient>;
  query<Row extends QueryResultRow>(statement: QueryConfig): Promise<QueryResult<Row>>;
  end(): Promise<void>;
}

/** `PoolOptions.verify`, by which the watch knows at which server each connection is. */
export const admittedBy = (server: ServerWatch): NonNullable<PoolOptions['verify']> =>
  callbackify((client: PoolClient) => server.admit(client));

/** Gives up the connections of a pool that are at a server to which the address does not lead any more. @param of.pool verifies by `admittedBy` */
export function createServerPool(of: { pool: Pool; connectionsMax: number; server: ServerWatch }): ServerPool {
  const { pool, server, connectionsMax } = of;
  /** All that there are may be of before, and a new one may be of the moment of the change. */
  const triesMax = 2 * connectionsMax + 1;

  async function connect(): Promise<PoolClient> {
    for (let tries = 0; tries < triesMax; tries++) {
      const client = await pool.connect();
      if (server.isCurrent(client)) return client;
      client.release(true);
    }
    throw new StoreError('io', 'The address of the database leads to one server, and then to another');
  }

  /** Closes those that nobody uses, so that the old server has none of this process. */
  const stop = server.onMoved(() => {
    for (let count = pool.idleCount; count > 0; count--) {
      pool.connect().then(
        (client) => client.release(!server.isCurrent(client)),
        () => {},
      );
    }
  });
  return {
    connect,
    async query<Row extends QueryResultRow>(statement: QueryConfig) {
      const client = await connect();
      try {
        const result = await client.query<Row>(statement);
        client.release();
        return result;
      } catch (error) {
        client.release(true);
        throw error;
      }
    },
    end() {
      stop();
      return pool.end();
    },
  };
}

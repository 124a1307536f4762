/**
 * Knows the server to which the address of the database leads. After a failover the address leads to another one, while connections of before
 * may go on at the old one, which answers as if it were still the database. So each connection is asked once at which server it is, a new
 * connection looks every two seconds where the address leads by now, and a connection at another server is not used any more.
 */
import { Client, type PoolClient } from 'pg';
import { type Clock, every } from '../../../../shared/clock.js';
import type { Logger } from '../../../../shared/logger.js';
import { StoreError } from '../cloud-store.js';
import { createListeners } from '../listeners.js';
import { toStoreError } from './postgres-errors.js';
import { clientConfig } from './postgres-pool.js';

const LOOK_EVERY_MS = 2_000;
/** Where the address leads is asked of a server that answers. */
const LOOK_MS_MAX = 5_000;

type Asked = Pick<PoolClient, 'query'>;

export interface ServerWatch {
  /** Whether the connection, which was admitted, is at the server to which the address leads. */
  isCurrent(client: Asked): boolean;
  /**
   * Finds out at which server a new connection is. It is at the current one unless the address leads elsewhere again: `isCurrent` tells.
   * @throws StoreError `read_only`: it is at a standby, whose state is of before, by however much
   */
  admit(client: Asked): Promise<void>;
  /** Calls the listener when the address leads to another server, or to one that was started again. @returns how to stop */
  onMoved(listener: () => void): () => void;
  /** Looks no more. */
  close(): Promise<void>;
}

/** A server from its start to its end. A standby that is promoted stays the one that it is, and its connections are good. */
interface Server {
  started: string;
  is_standby: boolean;
}

/** @throws StoreError when the server cannot be reached, or refuses */
export async function openServerWatch(deps: {
  url: string;
  processId: string;
  clock: Clock;
  logger: Logger;
}): Promise<ServerWatch> {
  const { clock, logger } = deps;
  const moved = createListeners<void>(logger);
  /** When the server of each connection was started. */
  const servers = new WeakMap<Asked, string>();
  let current: string | null = null;
  let looking: Promise<void> | null = null;
  let nextLook: Promise<void> | null = null;

  async function lookNow(): Promise<void> {
    const { started, is_standby } = await askNew(deps);
    if (is_standby || started === current) return;
    const isMoved = current !== null;
    current = started;
    if (!isMoved) return;
    logger.warn({}, 'The address of the database leads to another server, or to one that was started again');
    moved.notify();
  }

  /** One at a time. Whoever asks while one is under way waits for the one after it, because where that one came to may be of before. */
  function look(): Promise<void> {
    if (looking === null) {
      looking = lookNow().finally(() => {
        looking = null;
      });
      return looking;
    }
    nextLook ??= looking
      .catch(() => {})
      .then(() => {
        nextLook = null;
        return look();
      });
    return nextLook;
  }

  try {
    await look();
  } catch (error) {
    throw toStoreError(error, 'connect');
  }
  // A server that does not answer is told of by those who ask it something.
  const timer = every({ clock, periodMs: LOOK_EVERY_MS, work: look, onError: () => {} });
  return {
    isCurrent: (client) => servers.get(client) === current,
    async admit(client) {
      const { started, is_standby } = await ask(client);
      if (started !== current) await look();
      if (started !== current && is_standby) {
        throw new StoreError('read_only', 'The address of the database leads to a standby, and not to the primary');
      }
      servers.set(client, started);
    },
    onMoved: moved.add,
    async close() {
      timer.cancel();
      await (nextLook ?? looking)?.catch(() => {});
    },
  };
}

async function ask(client: Asked): Promise<Server> {
  const { rows } = await client.query<Server>(
    'select pg_postmaster_start_time()::text as started, pg_is_in_recovery() as is_standby',
  );
  const [server] = rows;
  if (server === undefined) throw new StoreError('io', 'The server of the database does not say when it was started');
  return server;
}

/** Asks on a connection of its own, which comes to where the address leads now. */
async function askNew({ url, processId }: { url: string; processId: string }): Promise<Server> {
  const limits = { statementMsMax: LOOK_MS_MAX, connectMsMax: LOOK_MS_MAX };
  const client = new Client(clientConfig({ url, processId, isReadOnly: true, ...limits }));
  client.on('error', () => {});
  try {
    await client.connect();
    return await ask(client);
  } finally {
    // A host that is gone does not tell the end.
    void client.end().catch(() => {});
  }
}

/** Connections to PostgreSQL with the settings that this program rests on. */
import { type ClientConfig, Pool, type PoolClient, types } from 'pg';
import type { Logger } from '../../../../shared/logger.js';

const CONNECT_TIMEOUT_MS = 10_000;
/** How long a transaction may stand still: a process that is frozen must not hold its locks for ever. */
const IDLE_IN_TRANSACTION_MS = 30_000;
/** How long a statement waits for a lock; as long as a process waits for the writer of a SQLite file. */
export const LOCK_TIMEOUT_MS = 30_000;

/** How soon the server ends the statement of a process that has died. */
const CLIENT_CHECK_MS = 5_000;
/** How soon it is asked whether the other end of a quiet connection is still there. */
const KEEP_ALIVE_AFTER_MS = 10_000;

const INT8 = 20;
const NUMERIC = 1700;

/** Whole numbers and sums are numbers, as SQLite has them; none of them is beyond 2^53. Everything else is text. */
const numbersAsNumbers: ClientConfig['types'] = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === INT8 || oid === NUMERIC
      ? Number
      : format === 'binary'
        ? types.getTypeParser(oid, 'binary')
        : types.getTypeParser(oid, 'text')) as typeof types.getTypeParser,
};

/** What a connection is called at the server. @param processId of a cloud process; left out: of a tool */
export const applicationNameOf = (processId?: string): string =>
  processId === undefined ? 'parking-cloud' : `parking-cloud ${processId}`;

interface ConnectionOptions {
  url: string;
  /** Whether it refuses to write. */
  isReadOnly: boolean;
  /** Left out: nobody needs to know whose it is. */
  processId?: string;
  /** How long a statement waits for its answer; left out: for ever. */
  statementMsMax?: number;
  /** How long a statement waits for a lock; left out: as long as everybody does. */
  lockMsMax?: number;
  /** How long the server may take to let it in, and a user of the pool waits for a connection; left out: as long as everybody does. */
  connectMsMax?: number;
}

/** Settings of every connection. */
export const clientConfig = (options: ConnectionOptions): ClientConfig => ({
  connectionString: options.url,
  application_name: applicationNameOf(options.processId),
  connectionTimeoutMillis: options.connectMsMax ?? CONNECT_TIMEOUT_MS,
  keepAlive: true,
  keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
  // A host that is gone answers nothing, and the system would wait for it a quarter of an hour.
  ...(options.statementMsMax === undefined ? {} : { query_timeout: options.statementMsMax }),
  types: numbersAsNumbers,
  options: [
    '-c timezone=UTC',
    `-c idle_in_transaction_session_timeout=${IDLE_IN_TRANSACTION_MS}`,
    `-c lock_timeout=${options.lockMsMax ?? LOCK_TIMEOUT_MS}`,
    `-c client_connection_check_interval=${CLIENT_CHECK_MS}`,
    ...(options.isReadOnly ? ['-c default_transaction_read_only=on'] : []),
  ].join(' '),
});

export interface PoolOptions extends ConnectionOptions {
  connectionsMax: number;
  logger: Logger;
  /** Asked of each new connection, before its first use. */
  verify?: (client: PoolClient, done: (error?: Error) => void) => void;
}

/** Opens connections as they are needed, and keeps them; who needs one more than `connectionsMax` waits, at most ten seconds if nothing else is said. */
export function openPool(options: PoolOptions): Pool {
  const { verify, connectionsMax } = options;
  const settings = { ...clientConfig(options), max: connectionsMax, idleTimeoutMillis: 0 };
  const pool = new Pool(verify === undefined ? settings : { ...settings, verify });
  const onLost = (error: Error) => options.logger.warn({ err: error }, 'A connection to the database was lost');
  // A connection that is lost while it idles is told of by the pool, one that is in use by its statement.
  pool.on('error', onLost);
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

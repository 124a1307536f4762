/** Connects Kysely with a SQLite connection in a worker thread. */
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  sql,
} from 'kysely';
import { createSemaphore } from '../../../../shared/flow/semaphore.js';
import { StoreError } from '../cloud-store.js';
import type { DatabaseAdapter } from '../database-adapter.js';
import type { SqliteConnection } from './sqlite-connection.js';
import { endBackupMark, identify, lastIds, setLastIds } from './sqlite-identity.js';
import { addValueChecks, dropValueChecks } from './value-checks.js';

/** Each attempt waits for the connection's busy timeout, which makes about 30 s in all. */
const BEGIN_TRIES_MAX = 6;

interface DialectOptions {
  connection: SqliteConnection;
  /** `immediate` for the writer: a transaction that begins to read and then writes could not be retried. */
  begin: 'begin' | 'begin immediate';
}

class CheckedSqliteAdapter extends SqliteAdapter implements DatabaseAdapter {
  readonly speaksPlpgsql = false;
  dropValueChecks = dropValueChecks;
  addValueChecks = addValueChecks;
  identify = identify;
  endBackupMark = endBackupMark;
  lastIds = lastIds;
  setLastIds = setLastIds;

  /** All DDL of SQLite is transactional, so an interrupted migration leaves nothing. */
  override get supportsTransactionalDdl(): boolean {
    return true;
  }

  lookupRows(columns: Readonly<Record<string, 'integer' | 'text'>>, rows: readonly object[]) {
    const list = Object.keys(columns).map((name) => sql`value ->> ${sql.lit(name)} as ${sql.ref(name)}`);
    return sql`(select ${sql.join(list)} from json_each(${JSON.stringify(rows)}))`;
  }

  rowsLike = () => null;
}

export function createSqliteDialect(options: DialectOptions): Dialect {
  return {
    createAdapter: () => new CheckedSqliteAdapter(),
    createDriver: () => createDriver(options),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
}

function toDatabaseConnection({ connection }: DialectOptions): DatabaseConnection {
  return {
    async executeQuery<Row>(query: CompiledQuery) {
      const { rows, changes, insertId } = await connection.query(query.sql, query.parameters);
      // Rows have the types of the query, because the schema's types and the migrations are kept together.
      return { rows: rows as Row[], numAffectedRows: BigInt(changes), insertId: BigInt(insertId) };
    },
    streamQuery() {
      throw new StoreError('query', 'Queries are not streamed: read page after page by key');
    },
  };
}

function createDriver(options: DialectOptions): Driver {
  const { connection, begin } = options;
  const shared = toDatabaseConnection(options);
  /** There is one connection. */
  const turns = createSemaphore({ name: 'transactions', permits: 1, waitingMax: Number.POSITIVE_INFINITY });
  let leave = () => {};

  async function beginTransaction(): Promise<void> {
    for (let tries = 1; ; tries++) {
      try {
        await connection.query(begin);
        return;
      } catch (error) {
        if (!(error instanceof StoreError) || error.code !== 'locked') throw error;
        if (tries < BEGIN_TRIES_MAX) continue;
        const hint = 'Another process holds the database (apply, backup, a second serve?): stop it, or try again.';
        throw new StoreError('locked', `The database stayed locked. ${hint}`, { cause: error });
      }
    }
  }

  return {
    async init() {},
    async acquireConnection() {
      leave = await turns.enter('');
      return shared;
    },
    async releaseConnection() {
      leave();
    },
    beginTransaction,
    async commitTransaction() {
      await connection.query('commit');
    },
    rollbackTransaction: () => connection.rollback(),
    destroy: () => connection.close(),
  };
}

/** Kysely's way to a SQLite connection in a worker thread. */
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type RootOperationNode,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import { StoreError } from './cloud-store.js';
import type { SqliteConnection } from './sqlite-connection.js';

/** Each try waits the connection's busy timeout: together about 30 s. */
const BEGIN_TRIES_MAX = 6;

interface DialectOptions {
  connection: SqliteConnection;
  /** `immediate` for the writer: a transaction that begins to read and then writes could not be retried. */
  begin: 'begin' | 'begin immediate';
  /** Told of every statement before it runs. */
  onStatement?: (statement: RootOperationNode) => void;
}

/** All DDL of SQLite is transactional: a migration killed half-way leaves nothing. */
class TransactionalSqliteAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

export function createSqliteDialect(options: DialectOptions): Dialect {
  return {
    createAdapter: () => new TransactionalSqliteAdapter(),
    createDriver: () => createDriver(options),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
}

function toDatabaseConnection({ connection, onStatement }: DialectOptions): DatabaseConnection {
  return {
    async executeQuery<Row>(query: CompiledQuery) {
      onStatement?.(query.query);
      const { rows, changes, insertId } = await connection.query(query.sql, query.parameters);
      // Rows are what the query's types say: the schema's types and the migrations are kept together.
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
  /** Those who wait for the one connection, first come first served. */
  const waiting: (() => void)[] = [];
  let taken = false;

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
      if (taken) await new Promise<void>((resolve) => waiting.push(resolve));
      taken = true;
      return shared;
    },
    async releaseConnection() {
      const next = waiting.shift();
      if (next === undefined) taken = false;
      else next();
    },
    beginTransaction,
    async commitTransaction() {
      await connection.query('commit');
    },
    rollbackTransaction: () => connection.rollback(),
    destroy: () => connection.close(),
  };
}

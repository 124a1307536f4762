/** Driver: long reads, each in a worker thread of its own while it runs. */
import {
  AndNode,
  Kysely,
  type KyselyPlugin,
  OperationNodeTransformer,
  ParensNode,
  type SelectQueryNode,
  sql,
  type SqlBool,
  WhereNode,
} from 'kysely';
import type { Clock, Timer } from '../../../../shared/clock.js';
import { StoreError } from '../cloud-store.js';
import type { DatabaseDriver } from '../database-driver.js';
import type { Database } from '../schema.js';
import { MAY_CONTINUE } from './interruption.js';
import type { SqliteConnection } from './sqlite-connection.js';
import { createSqliteDialect } from './sqlite-dialect.js';

const ASK = sql<SqlBool>`${sql.raw(MAY_CONTINUE)}()`.toOperationNode();

/** Makes each select ask for each of its rows, before its own conditions, whether it goes on. */
class InterruptibleSelects extends OperationNodeTransformer {
  protected override transformSelectQuery(node: SelectQueryNode): SelectQueryNode {
    const select = super.transformSelectQuery(node);
    const where = select.where === undefined ? ASK : AndNode.create(ASK, ParensNode.create(select.where.where));
    return { ...select, where: WhereNode.create(where) };
  }
}

const transformer = new InterruptibleSelects();

/** For queries of Kysely; SQL as text stays as it is. */
const INTERRUPTIBLE: KyselyPlugin = {
  transformQuery: ({ node }) => transformer.transformNode(node),
  transformResult: async ({ result }) => result,
};

interface ReportConnection {
  connection: SqliteConnection;
  db: Kysely<Database>;
  /** Since when it is free, monotonic milliseconds. */
  freeSinceMs: number;
}

/** A thread and its part of the database take some twenty megabytes. */
const KEPT_FREE_MS = 10_000;

/** The connections that are free, until they were so for a while. */
function createFreeConnections(clock: Clock, end: (connection: ReportConnection) => Promise<void>) {
  /** The longest free first. */
  const free: ReportConnection[] = [];
  let isClosed = false;
  let looking: Timer | undefined;

  /** Looks again for as long as any is free. */
  function endLongFree(): void {
    looking = clock.setTimer(KEPT_FREE_MS, () => {
      const now = clock.monotonic();
      while (free[0] !== undefined && now - free[0].freeSinceMs >= KEPT_FREE_MS) {
        const longest = free.shift();
        if (longest !== undefined) void end(longest);
      }
      looking = undefined;
      if (free.length > 0) endLongFree();
    });
  }

  return {
    acquire: () => free.pop(),
    release(used: ReportConnection): void {
      used.freeSinceMs = clock.monotonic();
      free.push(used);
      if (looking === undefined && !isClosed) endLongFree();
    },
    close(): void {
      isClosed = true;
      looking?.cancel();
    },
  };
}

/**
 * Opens a connection when all others are busy, and keeps it for a while. The caller limits how many run at once, and so how many there
 * are.
 */
export function createSqliteReports(deps: { open: () => Promise<SqliteConnection>; clock: Clock }): {
  run: DatabaseDriver['report'];
  close(): Promise<void>;
} {
  const all = new Set<ReportConnection>();
  const free = createFreeConnections(deps.clock, end);
  let isClosed = false;

  async function openAnother(): Promise<ReportConnection> {
    const connection = await deps.open();
    const dialect = createSqliteDialect({ connection, begin: 'begin' });
    const db = new Kysely<Database>({ dialect, plugins: [INTERRUPTIBLE] });
    const opened = { connection, db, freeSinceMs: 0 };
    all.add(opened);
    return opened;
  }

  async function end(ending: ReportConnection): Promise<void> {
    await ending.db.destroy();
    await ending.connection.close();
    all.delete(ending);
  }

  return {
    async run(work, signal) {
      signal.throwIfAborted();
      if (isClosed) throw new StoreError('closed', 'The database is closed');
      const used = free.acquire() ?? (await openAnother());
      const { connection, db } = used;
      signal.addEventListener('abort', connection.interrupt, { once: true });
      if (signal.aborted) connection.interrupt();
      try {
        return await work(db);
      } catch (error) {
        signal.throwIfAborted();
        throw error;
      } finally {
        signal.removeEventListener('abort', connection.interrupt);
        connection.resume();
        free.release(used);
      }
    },
    async close() {
      isClosed = true;
      free.close();
      for (const each of all) {
        each.connection.interrupt();
        await end(each);
      }
    },
  };
}

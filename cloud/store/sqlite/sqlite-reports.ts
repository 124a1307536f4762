/** Driver: long reads, each in a worker thread of its own while it runs. */
import { Kysely } from 'kysely';
import { StoreError } from '../cloud-store.js';
import type { DatabaseDriver } from '../database-driver.js';
import type { Database } from '../schema.js';
import { INTERRUPTIBLE } from './interruptible-selects.js';
import type { SqliteConnection } from './sqlite-connection.js';
import { createSqliteDialect } from './sqlite-dialect.js';

interface ReportConnection {
  connection: SqliteConnection;
  db: Kysely<Database>;
}

/** Opens a connection when all others are busy, and keeps it: how many there are is up to the caller, who limits what runs at once. */
export function createSqliteReports(open: () => Promise<SqliteConnection>): {
  run: DatabaseDriver['report'];
  close(): Promise<void>;
} {
  const all = new Set<ReportConnection>();
  const free: ReportConnection[] = [];
  let isClosed = false;

  async function openAnother(): Promise<ReportConnection> {
    const connection = await open();
    const dialect = createSqliteDialect({ connection, begin: 'begin' });
    const opened = { connection, db: new Kysely<Database>({ dialect, plugins: [INTERRUPTIBLE] }) };
    all.add(opened);
    return opened;
  }

  return {
    async run(work, signal) {
      signal.throwIfAborted();
      if (isClosed) throw new StoreError('closed', 'The database is closed');
      const used = free.pop() ?? (await openAnother());
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
        free.push(used);
      }
    },
    async close() {
      isClosed = true;
      for (const { connection, db } of all) {
        connection.interrupt();
        await db.destroy();
        await connection.close();
      }
    },
  };
}

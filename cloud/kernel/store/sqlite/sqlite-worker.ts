/**
 * The worker thread owns one SQLite connection, because an fsync or a long list must not stop the event loop. It runs one statement per
 * message, in the order in which they come. When its connection is closed it may be told to open another.
 */
import { type MessagePort, parentPort } from 'node:worker_threads';
import Database from 'better-sqlite3';
import { foldCase } from '../fold-case.js';
import { MAY_CONTINUE, INTERRUPTED } from './interruption.js';
import { errorText } from '../../../../shared/error-text.js';

export interface SqliteOpenOptions {
  path: string;
  readonly: boolean;
  /** Nobody else can open the file until this connection is closed, and this one cannot while another is open. */
  isAlone?: boolean;
  /** How long a statement waits for another process's lock. */
  busyTimeoutMs: number;
  /** Shared with the thread that asks: 1 ends the statement under way, if it asks `MAY_CONTINUE` for each row. */
  interrupt: Int32Array;
}

export type SqliteRequest =
  /** The first, and the first after `close`. */
  | { id: number; kind: 'open'; options: SqliteOpenOptions }
  | { id: number; kind: 'query'; sql: string; parameters: readonly unknown[] }
  /** Unlike the statement, this is no error when SQLite has already rolled back by itself (disk full). */
  | { id: number; kind: 'rollback' }
  /** Copies the database into the file; other requests go on meanwhile. */
  | { id: number; kind: 'backup'; to: string }
  | { id: number; kind: 'close' };

/** The answer to the request of the same id. */
export interface SqliteResponse {
  id: number;
  rows?: unknown[];
  changes?: number;
  insertId?: number;
  error?: { code: string; message: string };
}

/** How many statements are kept prepared: with lists of values one query has many texts. */
const STATEMENTS_MAX = 500;

/** better-sqlite3 defaults to NORMAL, which loses committed rows at a power cut; every setting is read back. */
function open(options: SqliteOpenOptions): Database.Database {
  const db = new Database(options.path, { readonly: options.readonly, timeout: options.busyTimeoutMs });
  const expected: [pragma: string, set: string, value: unknown][] = [
    ...(options.isAlone ? [['locking_mode', 'EXCLUSIVE', 'exclusive'] as [string, string, unknown]] : []),
    ['journal_mode', 'WAL', 'wal'],
    ['synchronous', 'FULL', 2],
    ['foreign_keys', 'ON', 1],
    ['busy_timeout', String(options.busyTimeoutMs), options.busyTimeoutMs],
  ];
  try {
    for (const [pragma, set, value] of expected) {
      // The journal mode belongs to the file; a reader cannot set it.
      if (!(options.readonly && pragma === 'journal_mode')) db.pragma(`${pragma} = ${set}`);
      const found = db.pragma(pragma, { simple: true });
      if (found !== value) throw new Error(`PRAGMA ${pragma} is ${String(found)}, not ${set}`);
    }
    db.function('fold_case', { deterministic: true }, (value) => (typeof value === 'string' ? foldCase(value) : value));
    db.function(MAY_CONTINUE, () => {
      if (Atomics.load(options.interrupt, 0) === 1) throw new Database.SqliteError('interrupted', INTERRUPTED);
      return 1;
    });
  } catch (error) {
    db.close();
    throw error;
  }
  return db;
}

function createStatementCache(db: Database.Database): (sql: string) => Database.Statement<unknown[]> {
  const statements = new Map<string, Database.Statement<unknown[]>>();
  return (sql) => {
    const statement = statements.get(sql) ?? db.prepare<unknown[]>(sql);
    // A Map keeps insertion order, so after putting this one back the first one is the least recently used.
    statements.delete(sql);
    statements.set(sql, statement);
    const [oldest] = statements.keys();
    if (statements.size > STATEMENTS_MAX && oldest !== undefined) statements.delete(oldest);
    return statement;
  };
}

function describe(error: unknown): { code: string; message: string } {
  const code = error instanceof Database.SqliteError ? error.code : 'ERROR';
  return { code, message: errorText(error) };
}

const ALL_PAGES = 0x7fffffff;

/** Copies the state of one moment into one file. */
async function backUp(db: Database.Database, to: string): Promise<void> {
  // All pages are copied in one step: otherwise a busy writer would make the copy start again for ever.
  await db.backup(to, { progress: () => ALL_PAGES });
  const copy = new Database(to);
  try {
    // The copy has no log beside it; a cloud that opens it turns the log on again.
    copy.pragma('journal_mode = DELETE');
    const found = copy.pragma('quick_check(1)', { simple: true });
    if (found !== 'ok') throw new Error(`the copy is damaged, so the database may be: ${String(found)}`);
  } finally {
    copy.close();
  }
}

function serve(port: MessagePort): void {
  port.once('message', ({ id, options }: Extract<SqliteRequest, { kind: 'open' }>) => {
    try {
      serveRequests(port, open(options));
      port.postMessage({ id });
    } catch (error) {
      port.postMessage({ id, error: describe(error) });
    }
  });
}

function serveRequests(port: MessagePort, db: Database.Database): void {
  const post = (response: SqliteResponse) => port.postMessage(response);
  const prepare = createStatementCache(db);

  function run(request: Exclude<SqliteRequest, { kind: 'backup' | 'open' }>): Omit<SqliteResponse, 'id'> {
    if (request.kind === 'rollback') {
      if (db.inTransaction) prepare('rollback').run();
      return {};
    }
    if (request.kind === 'close') {
      db.close();
      return {};
    }
    // PostgreSQL stores no text with it, whatever the column.
    if (request.parameters.some((value) => typeof value === 'string' && value.includes('\0'))) {
      throw new Error('a text has the character 0');
    }
    const statement = prepare(request.sql);
    if (statement.reader) return { rows: statement.all(...request.parameters) };
    const { changes, lastInsertRowid } = statement.run(...request.parameters);
    return { changes, insertId: Number(lastInsertRowid) };
  }

  function answer(request: Exclude<SqliteRequest, { kind: 'open' }>): void {
    if (request.kind === 'backup') {
      const { id, to } = request;
      backUp(db, to).then(
        () => post({ id }),
        (error: unknown) => post({ id, error: describe(error) }),
      );
      return;
    }
    try {
      post({ id: request.id, ...run(request) });
    } catch (error) {
      post({ id: request.id, error: describe(error) });
    }
    if (request.kind !== 'close') return;
    port.off('message', answer);
    serve(port);
  }

  port.on('message', answer);
}

if (parentPort === null) throw new Error('sqlite-worker.js runs as a worker thread only');
serve(parentPort);

/** Runs one SQLite connection in a worker thread, behind promises. */
import { Worker } from 'node:worker_threads';
import { StoreError, type StoreErrorCode } from '../cloud-store.js';
import { INTERRUPTED } from './interruption.js';
import type { SqliteOpenOptions, SqliteRequest, SqliteResponse } from './sqlite-worker.js';
import { errorText } from '../../../../shared/error-text.js';

export interface SqliteResult {
  rows: unknown[];
  changes: number;
  insertId: number;
}

export interface SqliteConnection {
  query(sql: string, parameters?: readonly unknown[]): Promise<SqliteResult>;
  /** Ends the statement under way at its next row, and every later one at once, until `resume` is called. They fail with `stopped`. */
  interrupt(): void;
  resume(): void;
  /** Harmless when no transaction is open. */
  rollback(): Promise<void>;
  /** Copies the database as one file into a file that is empty or does not exist yet, and checks it. */
  backUp(to: string): Promise<void>;
  /** Closes the connection after all earlier requests. Idempotent. Later requests fail with `closed`. */
  close(): Promise<void>;
}

function codeOf(sqliteCode: string): StoreErrorCode {
  if (sqliteCode === 'SQLITE_CONSTRAINT_UNIQUE' || sqliteCode === 'SQLITE_CONSTRAINT_PRIMARYKEY') return 'unique';
  if (sqliteCode === 'SQLITE_CONSTRAINT_FOREIGNKEY') return 'foreign_key';
  if (/^SQLITE_(CONSTRAINT|TOOBIG|MISMATCH)/.test(sqliteCode)) return 'constraint';
  if (sqliteCode.startsWith('SQLITE_BUSY') || sqliteCode.startsWith('SQLITE_LOCKED')) return 'locked';
  if (sqliteCode === 'SQLITE_FULL') return 'full';
  if (sqliteCode.startsWith('SQLITE_READONLY')) return 'read_only';
  if (sqliteCode === INTERRUPTED) return 'stopped';
  if (/^SQLITE_(IOERR|CANTOPEN|CORRUPT|NOTADB)/.test(sqliteCode)) return 'io';
  return 'query';
}

/** The error never has the parameters, which hold hashes and sealed secrets. */
function toStoreError(error: { code: string; message: string }, what: string): StoreError {
  return new StoreError(codeOf(error.code), `${errorText(error)} (${error.code}) at: ${what}`);
}

type RequestBody = SqliteRequest extends infer Request
  ? Request extends unknown
    ? Omit<Request, 'id'>
    : never
  : never;

/** A worker thread, and the matching of its answers. It has one connection at a time. */
interface Thread {
  /** @throws StoreError of the statement, or `closed` once the thread has ended */
  ask(request: RequestBody, what: string): Promise<SqliteResult>;
  /** Closes its connection, and keeps the thread for the next one, unless enough are kept. */
  close(): Promise<void>;
  end(): Promise<unknown>;
  /** From now on the process waits for it. */
  use(): void;
}

/** Threads without a connection: one takes a tenth of a second to start, of which the processor computes most. */
const spareThreads: Thread[] = [];
const SPARE_MAX = 4;

function startThread(): Thread {
  const worker = new Worker(new URL('./sqlite-worker.js', import.meta.url));
  const pending = new Map<number, { what: string; resolve(result: SqliteResult): void; reject(error: Error): void }>();
  let lastId = 0;
  let ended: StoreError | undefined;

  function settle(response: SqliteResponse): void {
    const call = pending.get(response.id);
    pending.delete(response.id);
    if (call === undefined) return;
    if (response.error !== undefined) call.reject(toStoreError(response.error, call.what));
    else call.resolve({ rows: response.rows ?? [], changes: response.changes ?? 0, insertId: response.insertId ?? 0 });
  }

  function end(reason: StoreError): void {
    ended ??= reason;
    for (const call of pending.values()) call.reject(ended);
    pending.clear();
    const at = spareThreads.indexOf(thread);
    if (at >= 0) spareThreads.splice(at, 1);
  }

  function ask(request: RequestBody, what: string): Promise<SqliteResult> {
    if (ended !== undefined) return Promise.reject(ended);
    return new Promise((resolve, reject) => {
      lastId += 1;
      pending.set(lastId, { what, resolve, reject });
      worker.postMessage({ ...request, id: lastId }, []);
    });
  }

  async function close(): Promise<void> {
    if (ended !== undefined) return;
    try {
      await ask({ kind: 'close' }, 'close');
    } catch (error) {
      await worker.terminate();
      throw error;
    }
    if (spareThreads.length >= SPARE_MAX) return void (await worker.terminate());
    worker.unref();
    spareThreads.push(thread);
  }

  const thread: Thread = { ask, close, end: () => worker.terminate(), use: () => worker.ref() };
  worker.on('message', settle);
  worker.on('error', (error) => end(new StoreError('closed', 'The database worker died', { cause: error })));
  worker.on('exit', () => end(new StoreError('closed', 'The database is closed')));
  return thread;
}

/**
 * Opens the file. Rejects when it cannot be opened, or when a setting does not take effect.
 * @param ready the file is opened after this, and not if it rejects; meanwhile the thread starts, which takes longer
 */
export async function openSqliteConnection(
  options: Omit<SqliteOpenOptions, 'interrupt'>,
  ready?: Promise<unknown>,
): Promise<SqliteConnection> {
  const interrupt = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const thread = spareThreads.pop() ?? startThread();
  thread.use();
  let closing: Promise<void> | undefined;

  function ask(request: RequestBody, what: string): Promise<SqliteResult> {
    return closing === undefined
      ? thread.ask(request, what)
      : Promise.reject(new StoreError('closed', 'The database is closed'));
  }

  try {
    await ready;
    await ask({ kind: 'open', options: { ...options, interrupt } }, `open ${options.path}`);
  } catch (error) {
    await thread.end();
    throw error;
  }
  return {
    query(sql, parameters = []) {
      if (Atomics.load(interrupt, 0) === 1) return Promise.reject(new StoreError('stopped', `interrupted at: ${sql}`));
      return ask({ kind: 'query', sql, parameters }, sql);
    },
    interrupt: () => void Atomics.store(interrupt, 0, 1),
    resume: () => void Atomics.store(interrupt, 0, 0),
    async rollback() {
      await ask({ kind: 'rollback' }, 'rollback');
    },
    async backUp(to) {
      await ask({ kind: 'backup', to }, 'backup');
    },
    close: () => (closing ??= thread.close()),
  };
}

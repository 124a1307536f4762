/** Opens the agent's SQLite file, sound and with the durability it promises, or puts a damaged one aside. */
import { existsSync, renameSync, rmSync, statSync } from 'node:fs';
import Database from 'better-sqlite3';
import { StoreError, type StoreHealth } from './agent-store.js';
import { failureOf } from './sqlite-agent-group.js';
import type { WorkerOptions } from './sqlite-agent-protocol.js';
import { salvage } from './sqlite-agent-salvage.js';
import { migrate } from './sqlite-agent-schema.js';

/** How long another program may hold the file, such as the one that is just stopping. */
const BUSY_TIMEOUT_MS = 2_000;
const SYNCHRONOUS_FULL = 2;
const CACHE_KIB = 2_048;

type Log = (fields: Record<string, unknown>, message: string) => void;

/**
 * The file at `path`, checked, with the present tables. A damaged one is renamed to `<path>.damaged-<time>`, and what can
 * be read of it begins the new file under a new epoch. Throws when the file cannot be had, or would not be synced.
 */
export function openFile(options: WorkerOptions, logError: Log): { db: Database.Database; health: StoreHealth } {
  const { path } = options;
  finishPuttingAside(path, options.opened_ms);
  const existed = existsSync(path);
  let quarantined: string | null = null;
  let db: Database.Database;
  try {
    db = openSound(options);
  } catch (error) {
    const failure = failureOf(error);
    if (!existed || !failure.damaged) throw error;
    quarantined = putAside(options, logError);
    logError({ quarantined, reason: failure.message }, 'the store was damaged: it is put aside and a new one is begun');
    db = openSound(options);
  }
  const health: StoreHealth = {
    path,
    journal_mode: String(db.pragma('journal_mode', { simple: true })),
    synchronous: Number(db.pragma('synchronous', { simple: true })),
    file_bytes: statSync(path).size,
    quarantined,
    failed: null,
  };
  return { db, health };
}

function openSound(options: WorkerOptions): Database.Database {
  const db = new Database(options.path, { timeout: BUSY_TIMEOUT_MS });
  try {
    configure(db, options.limits.fileBytesMax);
    checkPages(db);
    migrate(db);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

function configure(db: Database.Database, fileBytesMax: number): void {
  // One process owns the file: its counters are in memory. It also spares the shared-memory file.
  db.pragma('locking_mode = EXCLUSIVE');
  const journalMode = String(db.pragma('journal_mode = WAL', { simple: true }));
  // After journal_mode: better-sqlite3 is built with NORMAL as WAL's default, which loses committed rows with the power.
  db.pragma('synchronous = FULL');
  const synchronous = Number(db.pragma('synchronous', { simple: true }));
  if (journalMode !== 'wal' || synchronous !== SYNCHRONOUS_FULL) {
    const got = `journal_mode ${journalMode} and synchronous ${synchronous}`;
    throw new StoreError('io', `${db.name} opens with ${got}, not wal and 2: keep it on a local disk file system`);
  }
  db.pragma(`cache_size = -${CACHE_KIB}`);
  const pageBytes = Number(db.pragma('page_size', { simple: true }));
  db.pragma(`max_page_count = ${Math.floor(fileBytesMax / pageBytes)}`);
}

function checkPages(db: Database.Database): void {
  const answer = String(db.pragma('quick_check(1)', { simple: true }));
  if (answer !== 'ok') throw Object.assign(new Error(`${db.name}: ${answer}`), { code: 'SQLITE_CORRUPT' });
}

const replacementOf = (path: string): string => `${path}.salvaged`;

/** The new file is complete and synced before the damaged one is moved: a power cut in between repeats the work or finds it done. */
function putAside(options: WorkerOptions, logError: Log): string {
  const { path } = options;
  const replacement = replacementOf(path);
  removeFile(replacement);
  const db = openSound({ ...options, path: replacement });
  try {
    logError(
      { ...salvage({ damagedPath: path, into: db, boot_id: options.boot_id, opened_ms: options.opened_ms }) },
      'salvaged from the damaged store',
    );
    db.pragma('wal_checkpoint(TRUNCATE)');
  } finally {
    db.close();
  }
  moveAside(path, options.opened_ms);
  renameSync(replacement, path);
  return damagedName(path, options.opened_ms);
}

const damagedName = (path: string, openedMs: number): string =>
  `${path}.damaged-${new Date(openedMs).toISOString().replaceAll(':', '-')}`;

function moveAside(path: string, openedMs: number): void {
  // With its log, which the new file must never meet.
  for (const suffix of ['', '-wal', '-shm']) {
    if (existsSync(path + suffix)) renameSync(path + suffix, damagedName(path, openedMs) + suffix);
  }
}

/** Ends what a power cut interrupted in `putAside`. */
function finishPuttingAside(path: string, openedMs: number): void {
  const replacement = replacementOf(path);
  if (!existsSync(replacement)) return;
  if (existsSync(path)) {
    removeFile(replacement);
    return;
  }
  moveAside(path, openedMs);
  renameSync(replacement, path);
}

function removeFile(path: string): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true });
}

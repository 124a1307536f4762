/** Opens the agent's SQLite file, checks that it is sound and durable, and puts a damaged one aside. */
import { chmodSync, closeSync, existsSync, openSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import type { Logger } from '../../shared/logger.js';
import { StoreError } from './agent-store.js';
import { failureOf } from './sqlite-agent-group.js';
import type { OpenedHealth, WorkerOptions } from './sqlite-agent-protocol.js';
import { salvage } from './sqlite-agent-salvage.js';
import { migrate } from './sqlite-agent-schema.js';

/** How long another program, such as one that is just stopping, may hold the file. */
const BUSY_TIMEOUT_MS = 2_000;
const SYNCHRONOUS_FULL = 2;
const OWNER_ONLY = 0o600;
const CACHE_KIB = 2_048;
/** How many damaged files are kept, so that they do not fill a card that damages its files again and again. */
const DAMAGED_FILES_MAX = 3;

type Log = Logger['error'];

export interface OpenFile<Loaded> {
  db: Database.Database;
  loaded: Loaded;
  health: Omit<OpenedHealth, 'in_memory'>;
}

/**
 * Opens the file at `path`, checks it, brings it to the present tables, and reads it with `load`. A damaged file is renamed to
 * `<path>.damaged-<time>`, and what can be read of it begins the new file under a new outbox epoch. Throws when the file cannot be
 * opened, or would not be synced.
 */
export function openFile<Loaded>(
  options: WorkerOptions,
  { load, logError }: { load(db: Database.Database): Loaded; logError: Log },
): OpenFile<Loaded> {
  const { path } = options;
  finishPuttingAside(path, options.opened_ms);
  const existed = existsSync(path);
  try {
    return openWith(options, { load, quarantined: null });
  } catch (error) {
    const failure = failureOf(error);
    if (!existed || !failure.damaged) throw error;
    const quarantined = putAside(options, logError);
    logError({ quarantined, reason: failure.message }, 'the store was damaged: it is put aside and a new one is begun');
    return openWith(options, { load, quarantined });
  }
}

function openWith<Loaded>(
  options: WorkerOptions,
  { load, quarantined }: { load(db: Database.Database): Loaded; quarantined: string | null },
): OpenFile<Loaded> {
  const db = openSound(options.path, options.limits);
  try {
    const health: Omit<OpenedHealth, 'in_memory'> = {
      path: options.path,
      journal_mode: String(db.pragma('journal_mode', { simple: true })),
      synchronous: Number(db.pragma('synchronous', { simple: true })),
      quarantined,
      failed: null,
    };
    return { db, loaded: load(db), health };
  } catch (error) {
    db.close();
    throw error;
  }
}

/** Opens a file that was sound when it was last used. @throws when the disk refuses */
export const openAgain = ({ path, limits }: WorkerOptions): Database.Database =>
  openSound(path, limits, () => undefined);

function openSound(path: string, limits: WorkerOptions['limits'], check = checkPages): Database.Database {
  closeToOthers(path);
  const db = new Database(path, { timeout: BUSY_TIMEOUT_MS });
  try {
    configure(db, limits.fileBytesMax);
    check(db);
    migrate(db);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** The file holds credentials of products, passwords of cameras and plates. SQLite gives the log the same rights as the file. */
function closeToOthers(path: string): void {
  try {
    closeSync(openSync(path, 'a', OWNER_ONLY));
    for (const file of [path, `${path}-wal`]) {
      if (existsSync(file) && (statSync(file).mode & ~OWNER_ONLY & 0o777) !== 0) chmodSync(file, OWNER_ONLY);
    }
  } catch {
    // If the file cannot be opened at all, SQLite will say why.
  }
}

function configure(db: Database.Database, fileBytesMax: number): void {
  // One process owns the file, because its counters are in memory. The lock also makes the shared-memory file unnecessary.
  db.pragma('locking_mode = EXCLUSIVE');
  const journalMode = String(db.pragma('journal_mode = WAL', { simple: true }));
  // This must follow journal_mode: better-sqlite3 is built with NORMAL as WAL's default, which loses committed rows in a power cut.
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
  const db = openSound(replacement, options.limits);
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
  // The log goes with its file: the new file must never be opened with it.
  for (const suffix of ['', '-wal', '-shm']) {
    if (existsSync(path + suffix)) renameSync(path + suffix, damagedName(path, openedMs) + suffix);
  }
  const earlier = readdirSync(dirname(path))
    .filter((name) => name.startsWith(`${basename(path)}.damaged-`) && !/-(wal|shm)$/.test(name))
    .sort();
  // Their names end with their time.
  for (const name of earlier.slice(0, -DAMAGED_FILES_MAX)) removeFile(join(dirname(path), name));
}

/** Finishes a `putAside` that a power cut interrupted. */
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

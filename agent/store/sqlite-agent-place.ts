/** Where the worker thread keeps what it is given: in the file and, while the disk refuses to write, in a copy in memory. */
import type Database from 'better-sqlite3';
import type { Logger } from '../../shared/logger.js';
import type { Lane } from '../../shared/uplink.js';
import type { RecordStamp, StoreLimits } from './agent-store.js';
import { dropBallast, putBallast } from './ballast.js';
import { openAgain, openFile } from './sqlite-agent-file.js';
import { createGroupRunner, failureOf, type RunGroup } from './sqlite-agent-group.js';
import { copyToDisk, copyToMemory, copyUnwritable, type MemoryCopy } from './sqlite-agent-memory-copy.js';
import { createOutbox } from './sqlite-agent-outbox.js';
import type { CallResult, OpenedFile, OpenedHealth, StoreCall, WorkerOptions } from './sqlite-agent-protocol.js';
import { createReplica, readFile } from './sqlite-agent-replica.js';

type Log = Pick<Logger, 'warn' | 'error'>;

export interface Place {
  /** The content of the file when it was opened. */
  readonly file: OpenedFile;
  readonly health: OpenedHealth;
  /** Why it is in memory; null: it is on the disk. */
  inMemory(): string | null;
  /** @param stamp of the newest record among the calls; null when there is none */
  run(calls: StoreCall[], stamp: RecordStamp | null): CallResult[];
  /** Moves the rows in memory to the disk if that accepts them. */
  close(): void;
}

const NOTHING_HELD: ReadonlySet<Lane> = new Set();
/** A file that is so near to its own limit is full because of that. */
const NEAR_LIMIT_BYTES = 16 * 1024 * 1024;

/** The database that is worked with. */
interface Work {
  db: Database.Database;
  runGroup: RunGroup;
  /** null: the database is the file. */
  copy: MemoryCopy | null;
}

/** The state that the functions of this file share. */
interface Placed {
  options: WorkerOptions;
  log: Log;
  work: Work;
  /** Why it is in memory; null: it is on the disk. */
  reason: string | null;
}

/** @throws when the file can neither be opened nor read */
export function openPlace(options: WorkerOptions, log: Log): Place {
  const { file, health, work, reason } = openFirst(options, log);
  const p: Placed = { options, log, work, reason };
  return {
    file,
    health,
    inMemory: () => p.reason,
    run: (calls, stamp) => runCalls(p, calls, stamp),
    close() {
      tryDisk(p);
      p.work.db.close();
    },
  };
}

type Opened = Pick<Place, 'file' | 'health'> & Pick<Placed, 'work' | 'reason'>;

function openFirst(options: WorkerOptions, log: Log): Opened {
  const { path, limits } = options;
  try {
    const { health, loaded } = openFile(options, {
      logError: log.error,
      load: (db) => ({ work: workWith(db, { options, log, copy: null }), file: fileOf(db, log) }),
    });
    putBallast(path);
    return { ...loaded, health: { ...health, in_memory: null }, reason: null };
  } catch (error) {
    const { refused, message: reason } = failureOf(error);
    if (!refused) throw error;
    let copy: MemoryCopy;
    try {
      copy = copyUnwritable(path, limits);
    } catch (cause) {
      log.warn({ err: cause, path }, 'the file cannot be read either');
      throw error;
    }
    log.error({ path, reason }, 'the disk refuses to write: the store begins in memory with what the file holds');
    const health = { path, journal_mode: 'memory', synchronous: 0, quarantined: null, failed: null, in_memory: reason };
    return { work: workWith(copy.db, { options, log, copy }), file: fileOf(copy.db, log), health, reason };
  }
}

function workWith(
  db: Database.Database,
  { options, log, copy }: Pick<Placed, 'options' | 'log'> & Pick<Work, 'copy'>,
): Work {
  const { batch, boot_id } = options;
  const limits = copy?.limits ?? options.limits;
  const outbox = createOutbox({ db, limits, batch, boot_id, warn: log.warn, held: copy?.held ?? NOTHING_HELD });
  return { db, copy, runGroup: createGroupRunner(db, { outbox, replica: createReplica(db, limits) }) };
}

function fileOf(db: Database.Database, log: Log): OpenedFile {
  const base = Number(db.prepare('SELECT base FROM lanes WHERE lane = 0').pluck().get());
  return readFile(db, { base, warn: log.warn });
}

function goToMemory(p: Placed, reason: string): void {
  const { options, log } = p;
  const copy = copyToMemory(p.work.db, options.limits);
  p.work.db.close();
  p.reason = reason;
  p.work = workWith(copy.db, { options, log, copy });
  log.error({ path: options.path, reason }, 'the disk refuses to write: the store works in memory');
}

function tryDisk(p: Placed): void {
  const { options, log } = p;
  const { copy } = p.work;
  if (copy === null) return;
  let disk: Database.Database | null = null;
  try {
    disk = openAgain(options);
    copyToDisk(copy, disk);
    p.work = workWith(disk, { options, log, copy: null });
  } catch (error) {
    disk?.close();
    const { message } = failureOf(error);
    p.reason = message;
    return;
  }
  copy.db.close();
  p.reason = null;
  putBallast(options.path);
  log.warn({ path: options.path }, 'the disk takes writes again: what was in memory is on it');
}

function runCalls(p: Placed, calls: StoreCall[], stamp: RecordStamp | null): CallResult[] {
  const { options, log } = p;
  const { path } = options;
  // The driver makes this call now and then while the disk refuses, and nothing is visibly wrong with it any more.
  if (calls.some(({ op }) => op === 'clock')) tryDisk(p);
  let results = p.work.runGroup(calls, stamp);
  if (p.work.copy !== null || refusedOf(calls, results).length === 0 || isNearLimit(p.work.db, options.limits))
    return results;
  if (dropBallast(path)) {
    log.error({ path }, 'the disk is full: the room that was kept for decisions is used now');
    results = again(p, { calls, stamp, results });
  }
  const why = results[refusedOf(calls, results)[0] ?? -1];
  if (why === undefined || why.ok) return results;
  try {
    goToMemory(p, why.failure.message);
  } catch (error) {
    log.error({ err: error, path }, 'the store cannot work in memory either');
    return results;
  }
  return again(p, { calls, stamp, results });
}

/** Calls that the disk refused, and that are worth a place in memory: pictures are not. */
function refusedOf(calls: StoreCall[], results: CallResult[]): number[] {
  return results.flatMap((result, index) => {
    const call = calls[index];
    const isPicture = call?.op === 'append' && call.jpeg !== null;
    return !result.ok && result.failure.refused && !isPicture ? [index] : [];
  });
}

function again(
  { work }: Placed,
  { calls, stamp, results }: { calls: StoreCall[]; stamp: RecordStamp | null; results: CallResult[] },
): CallResult[] {
  const refused = refusedOf(calls, results);
  const retried = work.runGroup(
    refused.flatMap((index) => calls[index] ?? []),
    stamp,
  );
  return results.map((result, index) => retried[refused.indexOf(index)] ?? result);
}

function isNearLimit(db: Database.Database, { fileBytesMax }: StoreLimits): boolean {
  const pages = Number(db.pragma('page_count', { simple: true }));
  const pageBytes = Number(db.pragma('page_size', { simple: true }));
  return pages * pageBytes + NEAR_LIMIT_BYTES > fileBytesMax;
}

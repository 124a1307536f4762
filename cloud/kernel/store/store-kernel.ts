/** The cloud's store for any kind of database: its queue of changes, and what happens at a commit and after it. */
import type { Registry } from 'prom-client';
import type { Clock } from '../../../shared/clock.js';
import { createSemaphore, type Semaphore } from '../../../shared/flow/semaphore.js';
import type { Logger } from '../../../shared/logger.js';
import { createWriteWatch } from '../../../shared/node/write-watch.js';
import {
  type CloudStore,
  type DeriveKey,
  type JournalEvent,
  StoreError,
  type StoreErrorCode,
  type Tx,
} from './cloud-store.js';
import type { DatabaseDriver } from './database-driver.js';
import { LocksTaken } from './held-locks.js';
import { createListeners } from './listeners.js';
import type { Lock } from './locks.js';
import { bringUpToDate } from './bring-up-to-date.js';
import { addGauge } from '../measure/gauge.js';
import { createReportTurns } from './report-turns.js';
import { type Committed, runTransaction, type TransactionDeps } from './run-transaction.js';
import { createSilentWork } from './silent-work.js';
import { type ChangeMeasurement, createStoreMeasurement, type StoreMeasurement, UNMEASURED } from './store-metrics.js';
import type { WrittenNames, WrittenTables } from './written-tables.js';
import { errorText } from '../../../shared/error-text.js';

/** How often a change is tried that other transactions stand in the way of. */
const TRIES_MAX = 10;

/** What a disk that takes nothing leads to. */
const REFUSED: ReadonlySet<StoreErrorCode> = new Set(['full', 'read_only', 'io']);

/** One account's changes leave room for those of others. */
const CHANGES = { name: 'database changes', waitingMax: 10_000, waitingPerOwnerMax: 2_500 };
/** The share of what the service does by itself. */
const OWN_SHARE = 'service';

export interface StoreKernelOptions {
  driver: DatabaseDriver;
  clock: Clock;
  logger: Logger;
  /** Called with each committed change, for tests and measurements. */
  onCommitted?: (change: CommittedChange) => void;
  /** Left out: nothing is measured. */
  registry?: Registry;
  /** By the server's key. Left out: no audit entry can be written. */
  derive?: DeriveKey | undefined;
}

/** What a committed change did. */
export interface CommittedChange {
  /** The names of the locks that it acquired (`locks.ts`). */
  locks: ReadonlySet<string>;
  /** Those of them that it asked for behind a later one. */
  outOfOrder: readonly string[];
  /** The tables that its statements wrote. */
  written: WrittenNames;
  /** How often it asked the database something, its beginning, its locks and its commit included. */
  statements: number;
}

/** Begins, and commits. */
const STATEMENTS_OF_ITS_OWN = 2;

export function createStoreKernel(options: StoreKernelOptions): CloudStore {
  const { driver, clock, logger, registry } = options;
  const measured = registry === undefined ? null : createStoreMeasurement({ registry, clock });
  const measurement = measured ?? UNMEASURED;
  const queue = createSemaphore({ ...CHANGES, permits: driver.writersMax });
  const reports = createReportTurns({ run: driver.report, clock });
  const eventListeners = createListeners<readonly JournalEvent[]>(logger);
  const tableListeners = createListeners<WrittenTables>(logger);
  const disk = watchDisk(options, queue);
  const silent = createSilentWork(clock);
  const run = createChangeRunner({ ...options, silent, auditKey: auditKeyOf(options) }, measurement);
  let closing: Promise<void> | undefined;

  /** Tells of a committed change. @returns a promise for the end of its effects */
  function tell({ events, effects, written, locks }: Committed<unknown>): Promise<void> {
    tableListeners.notify(written);
    const followed = effects.run();
    driver.tellCommit(written.names());
    if (events.length > 0) eventListeners.notify(events);
    const statements = written.statements + locks.statements + STATEMENTS_OF_ITS_OWN;
    options.onCommitted?.({ locks: locks.names, outOfOrder: locks.outOfOrder, written: written.names(), statements });
    return followed;
  }

  return {
    reader: measured === null ? driver.reader : driver.reader.withPlugin(measured.reads),
    report: (report, work) => measurement.report(report.kind, () => reports(report, work)),
    async change(work, share = OWN_SHARE) {
      if (closing !== undefined) throw new StoreError('closed', 'The database is closed');
      run.refuseInside();
      const times = measurement.change();
      const endWait = silent.wait();
      try {
        const { result, followed } = await queue.run(share, async () => {
          endWait();
          const committed = await run.untilAlone(work, times);
          times.ended('committed');
          return { result: committed.result, followed: tell(committed) };
        });
        // This is outside the queue, because an effect may make a change of its own.
        await followed;
        return result;
      } catch (error) {
        times.ended('rolled_back');
        disk.noteFailed(error);
        throw error;
      } finally {
        endWait();
      }
    },
    writersMax: driver.writersMax,
    onEvents: eventListeners.add,
    onWritten: (tables, listener) =>
      tableListeners.add((written) => {
        if (written.includesOneOf(tables)) listener();
      }),
    onForeignChange: (listener) => driver.onForeignCommit(listener),
    writes: disk.writes,
    peers: driver.peers,
    migrate: () => queue.run(OWN_SHARE, () => migrate(options)),
    close() {
      disk.writes?.close();
      closing ??= queue.idle().then(() => driver.close());
      return closing;
    },
  };
}

/** The key is derived once, when it is needed: most tools write no entry. */
function auditKeyOf({ derive }: StoreKernelOptions): () => Uint8Array {
  let key: Uint8Array | undefined;
  return () => {
    if (derive === undefined) throw new StoreError('query', 'The store was opened without the key of the audit log');
    key ??= derive('audit_log');
    return key;
  };
}

async function migrate({ driver, logger, derive }: StoreKernelOptions): Promise<string[]> {
  const { ran, unchecked } = await bringUpToDate(driver.migrator, derive);
  if (unchecked.length > 0) logger.warn({ tables: unchecked }, 'tables have numbers that PostgreSQL does not take');
  return ran;
}

/** Runs changes, each again at once when another one stood in its way: that happens where there are several writers. */
function createChangeRunner(deps: TransactionDeps, measurement: Pick<StoreMeasurement, 'conflict'>) {
  /** Whether the call that is being made comes from the work of a change, before the work waits for anything. */
  let isInWork = false;

  const marked =
    <T>(work: (tx: Tx) => Promise<T>) =>
    (tx: Tx): Promise<T> => {
      isInWork = true;
      try {
        return work(tx);
      } finally {
        isInWork = false;
      }
    };

  return {
    /** @throws StoreError for a change begun inside a change: with one writer it would wait for itself until the silence is noticed */
    refuseInside() {
      if (isInWork) throw new StoreError('query', 'A change cannot be begun inside a change');
    },
    async untilAlone<T>(work: (tx: Tx) => Promise<T>, times: ChangeMeasurement): Promise<Committed<T>> {
      let needed: readonly Lock[] = [];
      for (let tries = 1; ; tries++) {
        try {
          return await runTransaction(deps, { work: marked(work), times, needed });
        } catch (error) {
          if (!(error instanceof StoreError) || error.code !== 'conflict' || tries >= TRIES_MAX) throw error;
          measurement.conflict(error instanceof LocksTaken ? 'locks' : 'database');
          if (error instanceof LocksTaken) needed = error.needed;
        }
      }
    },
  };
}

/** Knows whether the disk of the database takes changes. While it does not, it is written to in the turn of a change. */
function watchDisk({ driver, clock, logger, registry }: StoreKernelOptions, queue: Semaphore) {
  const { disk } = driver;
  if (disk === null) return { writes: null, noteFailed() {} };

  const probe = async (): Promise<void> => {
    try {
      await queue.run(OWN_SHARE, () => driver.writer.transaction().execute(disk.rewrite));
      writes.noteWritten();
    } catch (error) {
      noteFailed(error);
    }
  };
  const writes = createWriteWatch({ path: disk.path, clock, logger, probe });
  function noteFailed(error: unknown): void {
    if (error instanceof StoreError && REFUSED.has(error.code)) writes.noteRefused(errorText(error));
  }
  if (registry !== undefined) {
    addGauge(registry, {
      name: 'parking_database_writes_refused',
      help: '1: the disk of the database refuses to write',
      read: () => Number(writes.refusal() !== null),
    });
  }
  return { writes, noteFailed };
}

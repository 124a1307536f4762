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
import { createListeners } from './listeners.js';
import type { Lock } from './locks.js';
import { bringUpToDate } from './bring-up-to-date.js';
import { addGauge } from '../measure/gauge.js';
import { createReportTurns } from './report-turns.js';
import { type ChangeMeasurement, createStoreMeasurement, type StoreMeasurement, UNMEASURED } from './store-metrics.js';
import {
  type Committed,
  type CommittedChange,
  LocksHeld,
  runTransaction,
  type TransactionDeps,
} from './transaction.js';
import type { WrittenTables } from './written-tables.js';
import { errorText } from '../../../shared/error-text.js';

/** How often a change is tried that other transactions stand in the way of. */
const TRIES_MAX = 10;

/** What a disk that takes nothing leads to. */
const REFUSED: ReadonlySet<StoreErrorCode> = new Set(['full', 'read_only', 'io']);

/** One account's changes leave room for those of others. */
const CHANGES = { name: 'database changes', waitingMax: 10_000, waitingPerOwnerMax: 2_500 };
/** The share of what the service does by itself. */
const SERVICE = 'service';

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

export function createStoreKernel(options: StoreKernelOptions): CloudStore {
  const { driver, clock, logger, registry } = options;
  const measured = registry === undefined ? null : createStoreMeasurement({ registry, clock });
  const measurement = measured ?? UNMEASURED;
  const queue = createSemaphore({ ...CHANGES, permits: driver.writersMax });
  const reports = createReportTurns({ run: driver.report, clock });
  const eventListeners = createListeners<readonly JournalEvent[]>(logger);
  const tableListeners = createListeners<WrittenTables>(logger);
  const disk = watchDisk(options, queue);
  const run = createChangeRunner({ ...options, auditKey: auditKeyOf(options) }, measurement);
  let closing: Promise<void> | undefined;

  /** Tells of a committed change. @returns a promise for the end of its effects */
  function notify(committed: Committed<unknown>): Promise<void> {
    const { events, written } = committed;
    tableListeners.notify(written);
    const followed = committed.runEffects();
    driver.notifyCommit(written.names());
    if (events.length > 0) eventListeners.notify(events);
    options.onCommitted?.(committed.did);
    return followed;
  }

  return {
    reader: measured === null ? driver.reader : driver.reader.withPlugin(measured.reads),
    report: (report, work) => measurement.report(report.kind, () => reports(report, work)),
    async change(work, owner = SERVICE) {
      if (closing !== undefined) throw new StoreError('closed', 'The database is closed');
      run.refuseInside();
      const times = measurement.change();
      try {
        const { result, followed } = await queue.run(owner, async () => {
          const committed = await run.untilAlone(work, times);
          times.ended('committed');
          return { result: committed.result, followed: notify(committed) };
        });
        // This is outside the queue, because an effect may make a change of its own.
        await followed;
        return result;
      } catch (error) {
        times.ended('rolled_back');
        disk.noteFailed(error);
        throw error;
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
    migrate: (migrations) => queue.run(SERVICE, () => bringUpToDate(driver.migrator, migrations)),
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
    /** @throws StoreError for a change begun inside a change: with one writer it would wait for itself */
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
          measurement.conflict(error instanceof LocksHeld ? 'locks' : 'database');
          if (error instanceof LocksHeld) needed = error.needed;
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
      await queue.run(SERVICE, () => driver.writer.transaction().execute(disk.rewrite));
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

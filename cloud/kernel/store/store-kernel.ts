/** The cloud's store for any kind of database: its queue of changes, and what happens at a commit and after it. */
import type { Transaction } from 'kysely';
import type { Registry } from 'prom-client';
import type { Clock } from '../../../shared/clock.js';
import { createFairQueue } from '../../../shared/fair-queue.js';
import type { Logger } from '../../../shared/logger.js';
import { createWriteWatch } from '../../../shared/node/write-watch.js';
import { createCarried } from './carried.js';
import { aroundChange } from './change-hooks.js';
import {
  type ChangeHandle,
  type CloudStore,
  type Db,
  type JournalEvent,
  StoreError,
  type StoreErrorCode,
  type Tx,
} from './cloud-store.js';
import { createCommitEffects } from './commit-effects.js';
import type { DatabaseDriver } from './database-driver.js';
import { createEventCollector } from './event-collector.js';
import { createListeners } from './listeners.js';
import { byOrder, type Lock } from './locks.js';
import { bringUpToDate } from './bring-up-to-date.js';
import { addGauge } from '../measure/gauge.js';
import { createReportTurns } from './report-turns.js';
import type { Database } from './schema.js';
import { type ChangeMeasurement, createStoreMeasurement, UNMEASURED } from './store-metrics.js';
import { createWrittenTables, type WrittenNames, type WrittenTables } from './written-tables.js';

/** How often a change is tried that other transactions stand in the way of. */
const TRIES_MAX = 10;

/** What a disk that takes nothing leads to. */
const REFUSED: ReadonlySet<StoreErrorCode> = new Set(['full', 'read_only', 'io']);

const CHANGES_WAITING_MAX = 10_000;
/** One account's changes leave room for those of others. */
const CHANGES_OF_SHARE_MAX = 2_500;
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

export function createStoreKernel({ driver, clock, logger, onCommitted, registry }: StoreKernelOptions): CloudStore {
  const measured = registry === undefined ? null : createStoreMeasurement({ registry, clock });
  const measurement = measured ?? UNMEASURED;
  const changes = createFairQueue({
    name: 'database changes',
    concurrency: driver.writersMax,
    waitingMax: CHANGES_WAITING_MAX,
    waitingPerShareMax: CHANGES_OF_SHARE_MAX,
  });
  const reports = createReportTurns({ run: driver.report, clock });
  const insideChange = createCarried<{ active: boolean }>();
  const eventListeners = createListeners<readonly JournalEvent[]>(logger);
  const tableListeners = createListeners<WrittenTables>(logger);
  const { disk } = driver;
  const writes =
    disk === null ? null : createWriteWatch({ path: disk.path, clock, logger, probe: () => rewrite(disk) });
  if (writes !== null && registry !== undefined) {
    const help = '1: the disk of the database refuses to write';
    addGauge(registry, {
      name: 'parking_database_writes_refused',
      help,
      read: () => Number(writes.refusal() !== null),
    });
  }
  let closing: Promise<void> | undefined;

  function noteFailed(error: unknown): void {
    if (error instanceof StoreError && REFUSED.has(error.code)) writes?.noteRefused(error.message);
  }

  async function rewrite({ rewrite: write }: NonNullable<typeof disk>): Promise<void> {
    try {
      await changes.run(OWN_SHARE, () => driver.writer.transaction().execute(write));
      writes?.noteWritten();
    } catch (error) {
      noteFailed(error);
    }
  }

  /**
   * @returns the names of those that came out of order
   * @throws LocksTaken when it would have to wait out of order: two changes that do could wait for each other
   */
  async function acquire(tx: Db, held: Map<string, Lock>, wanted: readonly Lock[]): Promise<string[]> {
    const missing = [...new Map(wanted.map((lock) => [lock.name, lock])).values()]
      .filter(({ name }) => !held.has(name))
      .toSorted(byOrder);
    const [first] = missing;
    if (first === undefined) return [];
    const names = missing.map(({ name }) => name);
    const isInOrder = [...held.values()].every((lock) => byOrder(lock, first) < 0);
    if (isInOrder) await driver.lock(tx, names);
    else if (!(await driver.tryLock(tx, names))) throw new LocksTaken([...held.values(), ...missing]);
    for (const lock of missing) held.set(lock.name, lock);
    return isInOrder ? [] : names;
  }

  /**
   * @param needed locks to begin with
   * @returns the result of the work, and a promise for the end of what follows the commit
   */
  async function runChange<T>(
    work: (tx: Tx) => Promise<T>,
    { guard, hook }: ReturnType<typeof aroundChange>,
    times: ChangeMeasurement,
    needed: readonly Lock[],
  ): Promise<{ result: T; followed: Promise<void> }> {
    const journal = createEventCollector(() => clock.now());
    const effects = createCommitEffects(logger);
    const written = createWrittenTables();
    const locks = new Map<string, Lock>();
    const outOfOrder: string[] = [];
    let lockings = 0;
    const scope = { active: true };
    const whileActive = (): void => {
      if (!scope.active) throw new StoreError('query', 'The transaction is over');
    };
    const handleOf = (transaction: Transaction<Database>): ChangeHandle => ({
      journal(event) {
        whileActive();
        journal.add(event);
      },
      onCommit(effect) {
        whileActive();
        effects.add(effect);
      },
      async lock(...wanted: readonly Lock[]) {
        whileActive();
        const held = locks.size;
        outOfOrder.push(...(await acquire(transaction, locks, wanted)));
        if (locks.size > held) lockings += 1;
      },
    });
    try {
      const { result, events } = await driver.writer.transaction().execute((begun) =>
        insideChange.run(scope, async () => {
          times.begun();
          const transaction = begun.withPlugin(written.plugin);
          // Locks write nothing, so they pass by what notes the tables written.
          const tx: Tx = Object.assign(transaction, handleOf(begun));
          await acquire(begun, locks, needed);
          await guard?.(tx);
          const answer = await work(tx);
          await hook?.(tx, clock.now());
          const journalled = await journal.write(tx);
          times.done();
          return { result: answer, events: journalled };
        }),
      );
      times.ended('committed');
      tableListeners.notify(written);
      const followed = effects.run();
      driver.tellCommit(written.names());
      if (events.length > 0) eventListeners.notify(events);
      const statements = written.statements + lockings + STATEMENTS_OF_ITS_OWN;
      onCommitted?.({ locks: new Set(locks.keys()), outOfOrder, written: written.names(), statements });
      return { result, followed };
    } finally {
      scope.active = false;
    }
  }

  /** Where there are several writers, one change may stand in the way of another: it is made again at once. */
  async function runUntilAlone<T>(
    work: (tx: Tx) => Promise<T>,
    around: ReturnType<typeof aroundChange>,
    times: ChangeMeasurement,
  ) {
    let needed: readonly Lock[] = [];
    for (let tries = 1; ; tries++) {
      try {
        return await runChange(work, around, times, needed);
      } catch (error) {
        if (!(error instanceof StoreError) || error.code !== 'conflict' || tries >= TRIES_MAX) throw error;
        measurement.conflict(error instanceof LocksTaken ? 'locks' : 'database');
        if (error instanceof LocksTaken) needed = error.needed;
      }
    }
  }

  return {
    reader: measured === null ? driver.reader : driver.reader.withPlugin(measured.reads),
    report: (report, work) => measurement.report(report.kind, () => reports(report, work)),
    async change(work) {
      if (closing !== undefined) throw new StoreError('closed', 'The database is closed');
      // Such a change would wait for itself for ever.
      if (insideChange.get()?.active) throw new StoreError('query', 'A change cannot be begun inside a change');
      const around = aroundChange();
      const times = measurement.change();
      const { result, followed } = await changes
        .run(around.share ?? OWN_SHARE, () => runUntilAlone(work, around, times))
        .catch((error: unknown) => {
          times.ended('rolled_back');
          noteFailed(error);
          throw error;
        });
      // This is outside the queue, because an effect may make a change of its own.
      await followed;
      return result;
    },
    writersMax: driver.writersMax,
    onEvents: eventListeners.add,
    onWritten: (tables, listener) =>
      tableListeners.add((written) => {
        if (written.includesOneOf(tables)) listener();
      }),
    onForeignChange: (listener) => driver.onForeignCommit(listener),
    writes,
    peers: driver.peers,
    migrate: () =>
      changes.run(OWN_SHARE, async () => {
        const { ran, unchecked } = await bringUpToDate(driver.migrator);
        if (unchecked.length > 0)
          logger.warn({ tables: unchecked }, 'tables have numbers that PostgreSQL does not take');
        return ran;
      }),
    close() {
      writes?.close();
      closing ??= changes.idle().then(() => driver.close());
      return closing;
    },
  };
}

/** A change asked for a lock out of order that another one holds. */
class LocksTaken extends StoreError {
  /** What it turned out to need by then, with what it held. */
  readonly needed: readonly Lock[];

  constructor(needed: readonly Lock[]) {
    super('conflict', `Another change holds one of the locks ${needed.map(({ name }) => name).join(', ')}`);
    this.needed = needed;
  }
}

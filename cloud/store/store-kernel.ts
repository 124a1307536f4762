/** The cloud's store for any kind of database: its queue of changes, and what happens at a commit and after it. */
import type { Transaction } from 'kysely';
import type { Registry } from 'prom-client';
import type { Clock } from '../../shared/clock.js';
import { createFairQueue } from '../../shared/fair-queue.js';
import type { Logger } from '../../shared/logger.js';
import { createCarried } from './carried.js';
import { aroundChange } from './change-hooks.js';
import { type ChangeHandle, type CloudStore, type JournalEvent, StoreError, type Tx } from './cloud-store.js';
import { createCommitEffects } from './commit-effects.js';
import type { DatabaseDriver } from './database-driver.js';
import { createEventCollector } from './event-collector.js';
import { createListeners } from './listeners.js';
import type { Lock } from './locks.js';
import { bringUpToDate } from './bring-up-to-date.js';
import { createReportTurns } from './report-turns.js';
import type { Database } from './schema.js';
import { type ChangeMeasurement, createStoreMeasurement, UNMEASURED } from './store-metrics.js';
import { createWrittenTables, type WrittenNames, type WrittenTables } from './written-tables.js';

/** How often a change is tried that other transactions stand in the way of. */
const TRIES_MAX = 10;

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
  let closing: Promise<void> | undefined;

  /** @returns the result of the work, and a promise for the end of what follows the commit */
  async function runChange<T>(
    work: (tx: Tx) => Promise<T>,
    { guard, hook }: ReturnType<typeof aroundChange>,
    times: ChangeMeasurement,
  ): Promise<{ result: T; followed: Promise<void> }> {
    const journal = createEventCollector(() => clock.now());
    const effects = createCommitEffects(logger);
    const written = createWrittenTables();
    const locks = new Set<string>();
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
        // All changes use the same order, so that two never wait for each other.
        const names = [...new Set(wanted.map(({ name }) => name))].filter((name) => !locks.has(name)).toSorted();
        if (names.length === 0) return;
        lockings += 1;
        await driver.lock(transaction, names);
        for (const name of names) locks.add(name);
      },
    });
    try {
      const { result, events } = await driver.writer.transaction().execute((begun) =>
        insideChange.run(scope, async () => {
          times.begun();
          const transaction = begun.withPlugin(written.plugin);
          // Locks write nothing, so they pass by what notes the tables written.
          const tx: Tx = Object.assign(transaction, handleOf(begun));
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
      onCommitted?.({ locks, written: written.names(), statements });
      return { result, followed };
    } finally {
      scope.active = false;
    }
  }

  /** A database with several writers ends one of two transactions that wait for each other: it is tried again. */
  async function runUntilAlone<T>(
    work: (tx: Tx) => Promise<T>,
    around: ReturnType<typeof aroundChange>,
    times: ChangeMeasurement,
  ) {
    for (let tries = 1; ; tries++) {
      try {
        return await runChange(work, around, times);
      } catch (error) {
        if (!(error instanceof StoreError) || error.code !== 'conflict' || tries >= TRIES_MAX) throw error;
        measurement.conflict();
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
    peers: driver.peers,
    migrate: () =>
      changes.run(OWN_SHARE, async () => {
        const { ran, unchecked } = await bringUpToDate(driver.migrator);
        if (unchecked.length > 0)
          logger.warn({ tables: unchecked }, 'tables have numbers that PostgreSQL does not take');
        return ran;
      }),
    close() {
      closing ??= changes.idle().then(() => driver.close());
      return closing;
    },
  };
}

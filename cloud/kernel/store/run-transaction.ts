/** Runs one transaction that writes, with what a change may do in it besides its statements. */
import type { KyselyPlugin, Transaction } from 'kysely';
import type { Clock } from '../../../shared/clock.js';
import type { Logger } from '../../../shared/logger.js';
import { type ChangeHandle, type JournalEvent, StoreError, type Tx } from './cloud-store.js';
import { type CommitEffects, createCommitEffects } from './commit-effects.js';
import type { DatabaseDriver } from './database-driver.js';
import { createEventCollector } from './event-collector.js';
import { createHeldLocks, type HeldLocks } from './held-locks.js';
import type { Lock } from './locks.js';
import type { Database } from './schema.js';
import type { SilentWork } from './silent-work.js';
import type { ChangeMeasurement } from './store-metrics.js';
import { createWrittenTables, type WrittenTables } from './written-tables.js';

/** What is known of a transaction that is committed. */
export interface Committed<T> {
  result: T;
  events: readonly JournalEvent[];
  effects: CommitEffects;
  written: WrittenTables;
  locks: HeldLocks;
}

export interface TransactionDeps {
  driver: Pick<DatabaseDriver, 'writer' | 'lock' | 'tryLock'>;
  clock: Clock;
  logger: Logger;
  silent: Pick<SilentWork, 'watch'>;
  auditKey: () => Uint8Array;
}

/** @param change.needed locks to begin with */
export async function runTransaction<T>(
  { driver, clock, logger, silent, auditKey }: TransactionDeps,
  change: { work: (tx: Tx) => Promise<T>; times: ChangeMeasurement; needed: readonly Lock[] },
): Promise<Committed<T>> {
  const { work, times, needed } = change;
  const journal = createEventCollector(() => clock.now());
  const effects = createCommitEffects(logger);
  const written = createWrittenTables();
  let isActive = true;
  const whileActive = (): void => {
    if (!isActive) throw new StoreError('query', 'The transaction is over');
  };

  /** Refuses statements of work that goes on after its transaction: they would be written outside it. */
  const whileActiveOnly: KyselyPlugin = {
    transformQuery({ node }) {
      whileActive();
      return node;
    },
    transformResult: async ({ result }) => result,
  };

  async function run(begun: Transaction<Database>): Promise<Committed<T>> {
    times.begun();
    // Locks write nothing, so they pass by what notes the tables written.
    const locks = createHeldLocks(driver, begun);
    const handle: ChangeHandle = {
      journal(event) {
        whileActive();
        journal.add(event);
      },
      onCommit(effect) {
        whileActive();
        effects.add(effect);
      },
      lock(...wanted: readonly Lock[]) {
        whileActive();
        return locks.acquire(wanted);
      },
      auditKey,
    };
    const tx: Tx = Object.assign(begun.withPlugin(whileActiveOnly).withPlugin(written.plugin), handle);
    await locks.acquire(needed);
    const isBusy = () => locks.isWaiting || written.isBusy();
    const result = await silent.watch(isBusy, work(tx));
    const events = await journal.write(tx);
    times.done();
    return { result, events, effects, written, locks };
  }

  try {
    return await driver.writer.transaction().execute(run);
  } finally {
    isActive = false;
  }
}

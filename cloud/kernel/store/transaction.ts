/** One transaction that writes: the locks that it holds, its statements, its events, and its effects, which follow the commit. */
import type { KyselyPlugin, Transaction } from 'kysely';
import type { Clock, Timer } from '../../../shared/clock.js';
import type { Logger } from '../../../shared/logger.js';
import {
  type ChangeHandle,
  type CommitEffect,
  type Db,
  type JournalEvent,
  StoreError,
  type Tx,
} from './cloud-store.js';
import type { DatabaseDriver } from './database-driver.js';
import { createEventCollector } from './event-collector.js';
import { byOrder, type Lock } from './locks.js';
import type { Database } from './schema.js';
import type { ChangeMeasurement } from './store-metrics.js';
import { createWrittenTables, type WrittenNames, type WrittenTables } from './written-tables.js';

/** How long the work of a change may ask the database nothing. A PostgreSQL server ends a transaction that stands still for as long. */
const SILENT_MS_MAX = 30_000;
/** Begins, and commits. */
const STATEMENTS_OF_ITS_OWN = 2;

/** A change asked for a lock out of order that another one holds. */
export class LocksHeld extends StoreError {
  /** All locks that the change turned out to need: those that it held, and those that it asked for. */
  readonly needed: readonly Lock[];

  constructor(needed: readonly Lock[]) {
    super('conflict', `Another change holds one of the locks ${needed.map(({ name }) => name).join(', ')}`);
    this.needed = needed;
  }
}

/** The result of a committed change. */
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

/** A transaction that is committed. */
export interface Committed<T> {
  result: T;
  events: readonly JournalEvent[];
  written: WrittenTables;
  did: CommittedChange;
  /** Calls all effects at once, in order. Resolves, never rejects, when the last promise that they returned has settled. */
  runEffects(): Promise<void>;
}

export interface TransactionDeps {
  driver: Pick<DatabaseDriver, 'writer' | 'lock' | 'tryLock'>;
  clock: Pick<Clock, 'now' | 'setTimer'>;
  logger: Logger;
  auditKey: () => Uint8Array;
}

/**
 * @param change.needed locks to begin with
 * @throws LocksTaken; StoreError `query` when the work asks the database nothing for 30 s
 */
export function runTransaction<T>(
  deps: TransactionDeps,
  change: { work: (tx: Tx) => Promise<T>; times: ChangeMeasurement; needed: readonly Lock[] },
): Promise<Committed<T>> {
  const { work, times, needed } = change;
  return deps.driver.writer.transaction().execute(async (begun) => {
    times.begun();
    const { tx, journal, written, locks, effects, end } = createTransaction(deps, begun);
    try {
      await locks.acquire(needed);
      const result = await whileHeard(deps.clock, written.isBusy, work(tx));
      const events = await journal.write(tx);
      times.done();
      return {
        result,
        events,
        written,
        get did() {
          const statements = written.statements + STATEMENTS_OF_ITS_OWN;
          return { locks: locks.names(), outOfOrder: locks.outOfOrder, written: written.names(), statements };
        },
        runEffects: () => runEffects(effects, deps.logger),
      };
    } finally {
      end();
    }
  });
}

/** What a transaction has and knows until it is over. Nothing that is called later reaches the database: it would be outside of it. */
function createTransaction({ driver, clock, auditKey }: TransactionDeps, begun: Transaction<Database>) {
  const journal = createEventCollector(() => clock.now());
  const effects: CommitEffect[] = [];
  const written = createWrittenTables();
  let isActive = true;
  const whileActive = (): void => {
    if (!isActive) throw new StoreError('query', 'The transaction is over');
  };
  const whileActiveOnly: KyselyPlugin = {
    transformQuery({ node }) {
      whileActive();
      return node;
    },
    transformResult: async ({ result }) => result,
  };
  const db = begun.withPlugin(whileActiveOnly).withPlugin(written.plugin);
  const locks = createHeldLocks(driver, db);
  const handle: ChangeHandle = {
    journal(event) {
      whileActive();
      journal.add(event);
    },
    onCommit(effect) {
      whileActive();
      effects.push(effect);
    },
    lock(...wanted) {
      whileActive();
      return locks.acquire(wanted);
    },
    auditKey,
  };
  const tx: Tx = Object.assign(db, handle);
  return { tx, journal, effects, written, locks, end: () => void (isActive = false) };
}

/** The locks of one transaction (`locks.ts`). */
function createHeldLocks(driver: Pick<DatabaseDriver, 'lock' | 'tryLock'>, tx: Db) {
  const held = new Map<string, Lock>();
  /** The names of the locks that came out of order. */
  const outOfOrder: string[] = [];
  return {
    names: (): ReadonlySet<string> => new Set(held.keys()),
    outOfOrder,
    /** @throws LocksTaken when it would have to wait out of order: two changes that do could wait for each other */
    async acquire(wanted: readonly Lock[]): Promise<void> {
      const missing = [...new Map(wanted.map((lock) => [lock.name, lock])).values()]
        .filter(({ name }) => !held.has(name))
        .toSorted(byOrder);
      const [first] = missing;
      if (first === undefined) return;
      const names = missing.map(({ name }) => name);
      if ([...held.values()].every((lock) => byOrder(lock, first) < 0)) await driver.lock(tx, names);
      else if (await driver.tryLock(tx, names)) outOfOrder.push(...names);
      else throw new LocksHeld([...held.values(), ...missing]);
      for (const lock of missing) held.set(lock.name, lock);
    },
  };
}

/**
 * Gives the work up when it waits for something other than the database, such as a change begun inside it: where one transaction writes at
 * a time, that would wait for it for ever, and every other change with it.
 * @param isBusy whether the work has a statement under way, or had one since this was asked last
 */
async function whileHeard<T>(clock: Pick<Clock, 'setTimer'>, isBusy: () => boolean, work: Promise<T>): Promise<T> {
  let timer: Timer | undefined;
  const silent = new Promise<never>((_resolve, reject) => {
    const lookLater = (): void => {
      timer = clock.setTimer(SILENT_MS_MAX, () => {
        if (isBusy()) return lookLater();
        const message = 'The work of a change waits for something else than its statements';
        reject(new StoreError('query', `${message}: perhaps for a change begun inside a change`));
      });
    };
    lookLater();
  });
  try {
    return await Promise.race([work, silent]);
  } finally {
    timer?.cancel();
  }
}

async function runEffects(effects: readonly CommitEffect[], logger: Logger): Promise<void> {
  const call = async (effect: CommitEffect): Promise<void> => {
    try {
      await effect();
    } catch (error) {
      logger.error({ err: error }, 'an effect of a committed change failed');
    }
  };
  await Promise.all(effects.map(call));
}

/** The locks that one transaction holds (`locks.ts`). */
import { type Db, StoreError } from './cloud-store.js';
import type { DatabaseDriver } from './database-driver.js';
import { byOrder, type Lock } from './locks.js';

/** A change asked for a lock out of order that another one holds. */
export class LocksTaken extends StoreError {
  /** All locks that the change turned out to need: those that it held, and those that it asked for. */
  readonly needed: readonly Lock[];

  constructor(needed: readonly Lock[]) {
    super('conflict', `Another change holds one of the locks ${needed.map(({ name }) => name).join(', ')}`);
    this.needed = needed;
  }
}

export interface HeldLocks {
  readonly names: ReadonlySet<string>;
  /** The names of the locks that came out of order. */
  readonly outOfOrder: readonly string[];
  /** How often the database was asked. */
  readonly statements: number;
  /** Whether the transaction waits for a lock. */
  readonly isWaiting: boolean;
  /** @throws LocksTaken when it would have to wait out of order: two changes that do could wait for each other */
  acquire(wanted: readonly Lock[]): Promise<void>;
}

export function createHeldLocks(driver: Pick<DatabaseDriver, 'lock' | 'tryLock'>, tx: Db): HeldLocks {
  const held = new Map<string, Lock>();
  const outOfOrder: string[] = [];
  let statements = 0;
  let waiting = 0;

  async function take(names: readonly string[], isInOrder: boolean): Promise<boolean> {
    waiting += 1;
    try {
      if (!isInOrder) return await driver.tryLock(tx, names);
      await driver.lock(tx, names);
      return true;
    } finally {
      waiting -= 1;
    }
  }

  return {
    get names() {
      return new Set(held.keys());
    },
    outOfOrder,
    get statements() {
      return statements;
    },
    get isWaiting() {
      return waiting > 0;
    },
    async acquire(wanted) {
      const missing = [...new Map(wanted.map((lock) => [lock.name, lock])).values()]
        .filter(({ name }) => !held.has(name))
        .toSorted(byOrder);
      const [first] = missing;
      if (first === undefined) return;
      const names = missing.map(({ name }) => name);
      const isInOrder = [...held.values()].every((lock) => byOrder(lock, first) < 0);
      if (!(await take(names, isInOrder))) throw new LocksTaken([...held.values(), ...missing]);
      for (const lock of missing) held.set(lock.name, lock);
      if (!isInOrder) outOfOrder.push(...names);
      statements += 1;
    },
  };
}

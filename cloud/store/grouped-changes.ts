/**
 * Commits changes of many gateways together: changes that come while a transaction is under way wait and share the next one, so that a
 * thousand gateways do not wait for a thousand syncs of the disk.
 */
import type { CloudStore, Tx } from './cloud-store.js';

type Work<T> = (tx: Tx) => Promise<T>;

export interface GroupedChanges {
  /**
   * Does the same as `CloudStore.change`. The work may run twice: when the group's transaction fails, each change is tried alone, and only
   * a committed one has effects and events.
   */
  change<T>(work: Work<T>): Promise<T>;
}

interface Waiting {
  work: Work<unknown>;
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

const GROUP_MAX = 64;

export function createGroupedChanges(store: Pick<CloudStore, 'change'>): GroupedChanges {
  const waiting: Waiting[] = [];
  let isRunning = false;

  async function run(): Promise<void> {
    isRunning = true;
    while (waiting.length > 0) await runGroup(waiting.splice(0, GROUP_MAX));
    isRunning = false;
  }

  async function runGroup(group: Waiting[]): Promise<void> {
    const [only] = group;
    if (group.length === 1 && only !== undefined) return runAlone(only);
    try {
      const results = await store.change(async (tx) => {
        const done: unknown[] = [];
        for (const { work } of group) done.push(await work(tx));
        return done;
      });
      for (const [index, each] of group.entries()) each.resolve(results[index]);
    } catch {
      // Perhaps only one of them is at fault, and the others must not fail with it.
      for (const each of group) await runAlone(each);
    }
  }

  async function runAlone({ work, resolve, reject }: Waiting): Promise<void> {
    await store.change(work).then(resolve, reject);
  }

  return {
    change<T>(work: Work<T>): Promise<T> {
      return new Promise<T>((resolve, reject) => {
        waiting.push({ work, resolve: (result) => resolve(result as T), reject });
        if (!isRunning) void run();
      });
    },
  };
}

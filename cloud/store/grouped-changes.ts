/**
 * Changes of many gateways in one commit: what comes while a transaction is under way waits and shares the next one, so that a
 * thousand gateways do not wait for a thousand syncs of the disk.
 */
import type { CloudStore, Db, EventRecorder } from './cloud-store.js';

type Work<T> = (tx: Db, events: EventRecorder) => Promise<T>;

export interface GroupedChanges {
  /** As `CloudStore.change`. The work may run twice: when the group's transaction fails, each is tried alone. */
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
      const results = await store.change(async (tx, events) => {
        const done: unknown[] = [];
        for (const { work } of group) done.push(await work(tx, events));
        return done;
      });
      for (const [index, each] of group.entries()) each.resolve(results[index]);
    } catch {
      // One may have failed for a reason of its own: the others must not fail with it.
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

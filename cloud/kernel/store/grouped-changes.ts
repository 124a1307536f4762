/**
 * Commits changes of many gateways together: changes that come while a transaction is under way wait and share the next one, so that a
 * thousand gateways do not wait for a thousand syncs of the disk. Where a database has several writers, several groups are under way at
 * one time: while the database works on one, this thread works on another. There a transaction costs more than the statements in it, and
 * with several processes fewer changes share one. A pace leaves time between the beginnings of groups, so that each has more.
 */
import type { Clock, Timer } from '../../../shared/clock.js';
import type { CloudStore, Tx } from './cloud-store.js';

type Work<T> = (tx: Tx) => Promise<T>;

export interface GroupedChanges {
  /**
   * Does the same as `CloudStore.change`. The work may run twice: when the group's transaction fails, each change is tried alone, and only
   * a committed one has effects and events.
   */
  change<T>(work: Work<T>): Promise<T>;
}

/** Commits one item, with others or alone. */
export type GroupedWork<Item, Result> = (item: Item) => Promise<Result>;

export interface GroupRules<Item, Result> {
  /** Applies items in one transaction. @returns their results in the same order */
  run(tx: Tx, items: readonly Item[]): Promise<Result[]>;
  /**
   * What an item changes, such as a lot: items of one room keep their order, and are never under way in two groups, which would wait for
   * each other. Left out: there is one group at a time.
   */
  roomOf?(item: Item): string;
  /** Left out: a group begins as soon as it can. */
  pace?: GroupPace<Item> | undefined;
}

/** Where several groups may be under way, how soon the next one begins. */
export interface GroupPace<Item> {
  clock: Pick<Clock, 'monotonic' | 'setTimer'>;
  /** After the last one began, unless there is enough before. What comes later than that waits for nobody. */
  everyMs: number;
  /** How much an item is of what is enough, which is 1. */
  shareOf(item: Item): number;
}

interface Waiting<Item, Result> {
  item: Item;
  room: string;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

const GROUP_MAX = 64;
/** More would only wait for each other at the end, where events are numbered. */
const GROUPS_MAX = 3;

type GroupStore = Pick<CloudStore, 'change'> & Partial<Pick<CloudStore, 'writersMax'>>;

/** Decides when the next group has enough to begin with. */
function createPacer<Item>(pace: GroupPace<Item> | undefined, begin: () => void) {
  let begunMs = Number.NEGATIVE_INFINITY;
  /** The changes that wait, of those that are enough to begin at once. */
  let share = 0;
  let later: Timer | null = null;
  return {
    came(item: Item): void {
      share += pace?.shareOf(item) ?? 0;
    },
    /** Whether the next group has to wait; it is begun when it has waited. */
    waitsForMore(): boolean {
      if (pace === undefined || share >= 1) return false;
      const pauseMs = begunMs + pace.everyMs - pace.clock.monotonic();
      if (pauseMs <= 0) return false;
      later ??= pace.clock.setTimer(pauseMs, () => {
        later = null;
        begin();
      });
      return true;
    },
    /** @param left what waits still */
    begun(left: readonly Item[]): void {
      if (pace === undefined) return;
      begunMs = pace.clock.monotonic();
      share = left.reduce((sum, item) => sum + pace.shareOf(item), 0);
    },
  };
}

export function createGroupedWork<Item, Result>(
  store: GroupStore,
  rules: GroupRules<Item, Result>,
): GroupedWork<Item, Result> {
  const groupsMax = rules.roomOf === undefined ? 1 : Math.min(GROUPS_MAX, store.writersMax ?? 1);
  let waiting: Waiting<Item, Result>[] = [];
  /** The rooms of the groups under way. */
  const busy = new Set<string>();
  let running = 0;
  const pacer = createPacer(groupsMax > 1 ? rules.pace : undefined, runNext);

  function nextGroup(): Waiting<Item, Result>[] {
    const group: Waiting<Item, Result>[] = [];
    const left: Waiting<Item, Result>[] = [];
    for (const each of waiting) (group.length < GROUP_MAX && !busy.has(each.room) ? group : left).push(each);
    waiting = left;
    return group;
  }

  function runNext(): void {
    while (running < groupsMax && waiting.length > 0) {
      if (pacer.waitsForMore()) return;
      const group = nextGroup();
      if (group.length === 0) return;
      pacer.begun(waiting.map(({ item }) => item));
      void runFree(group);
    }
  }

  async function runFree(group: Waiting<Item, Result>[]): Promise<void> {
    const rooms = group.map(({ room }) => room);
    for (const room of rooms) busy.add(room);
    running += 1;
    await runGroup(store, rules, group);
    running -= 1;
    for (const room of rooms) busy.delete(room);
    runNext();
  }

  return (item) =>
    new Promise<Result>((resolve, reject) => {
      const room = rules.roomOf?.(item) ?? '';
      waiting.push({ item, room, resolve, reject });
      pacer.came(item);
      // An item whose room is busy cannot begin a group. A storm of such items would go through all that waits again for each of them.
      if (!busy.has(room)) runNext();
    });
}

/** Commits the items together, or each alone when that fails: perhaps only one of them is at fault, and the others must not fail with it. */
async function runGroup<Item, Result>(
  store: GroupStore,
  rules: GroupRules<Item, Result>,
  group: Waiting<Item, Result>[],
): Promise<void> {
  try {
    const items = group.map(({ item }) => item);
    const results = await store.change((tx) => rules.run(tx, items));
    for (const [index, each] of group.entries()) each.resolve(results[index] as Result);
  } catch (error) {
    if (group.length === 1) return group[0]?.reject(error);
    for (const each of group) await runGroup(store, rules, [each]);
  }
}

/** Groups changes that have nothing in common: each does its own work, one after the other. */
export function createGroupedChanges(store: GroupStore): GroupedChanges {
  const change = createGroupedWork<Work<unknown>, unknown>(store, {
    async run(tx, works) {
      const results: unknown[] = [];
      for (const work of works) results.push(await work(tx));
      return results;
    },
  });
  return { change: <T>(work: Work<T>) => change(work) as Promise<T> };
}

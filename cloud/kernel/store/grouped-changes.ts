/**
 * Commits changes of many gateways together: changes that come while a transaction is under way wait and share the next one, so that a
 * thousand gateways do not wait for a thousand syncs of the disk. Where a database has several writers, several groups are under way at
 * one time: while it works on the one, this thread works on the other. There a transaction costs more than what is written in it, and the
 * more so the more processes share the work: groups may be told to leave time between their beginnings, so that more share each.
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

export function createGroupedWork<Item, Result>(
  store: GroupStore,
  rules: GroupRules<Item, Result>,
): GroupedWork<Item, Result> {
  const groupsMax = rules.roomOf === undefined ? 1 : Math.min(GROUPS_MAX, store.writersMax ?? 1);
  let waiting: Waiting<Item, Result>[] = [];
  /** The rooms of the groups under way. */
  const busy = new Set<string>();
  let running = 0;
  const pace = groupsMax > 1 ? rules.pace : undefined;
  let begunMs = Number.NEGATIVE_INFINITY;
  /** What waits, of what is enough to begin at once. */
  let share = 0;
  let later: Timer | null = null;
  const shareOf = ({ item }: Waiting<Item, Result>): number => pace?.shareOf(item) ?? 0;

  /** Whether the next group has to wait; it is begun then. */
  function waitsForMore(): boolean {
    if (pace === undefined || share >= 1) return false;
    const pauseMs = begunMs + pace.everyMs - pace.clock.monotonic();
    if (pauseMs <= 0) return false;
    later ??= pace.clock.setTimer(pauseMs, () => {
      later = null;
      runNext();
    });
    return true;
  }

  function nextGroup(): Waiting<Item, Result>[] {
    const group: Waiting<Item, Result>[] = [];
    const left: Waiting<Item, Result>[] = [];
    for (const each of waiting) (group.length < GROUP_MAX && !busy.has(each.room) ? group : left).push(each);
    waiting = left;
    share = left.reduce((sum, each) => sum + shareOf(each), 0);
    return group;
  }

  function runNext(): void {
    while (running < groupsMax && waiting.length > 0) {
      if (waitsForMore()) return;
      const group = nextGroup();
      if (group.length === 0) return;
      begunMs = pace?.clock.monotonic() ?? 0;
      void runFree(group);
    }
  }

  async function runFree(group: Waiting<Item, Result>[]): Promise<void> {
    const rooms = group.map(({ room }) => room);
    for (const room of rooms) busy.add(room);
    running += 1;
    await runGroup(group);
    running -= 1;
    for (const room of rooms) busy.delete(room);
    runNext();
  }

  async function runGroup(group: Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await store.change((tx) =>
        rules.run(
          tx,
          group.map(({ item }) => item),
        ),
      );
      for (const [index, each] of group.entries()) each.resolve(results[index] as Result);
    } catch (error) {
      if (group.length === 1) return group[0]?.reject(error);
      // Perhaps only one of them is at fault, and the others must not fail with it.
      for (const each of group) await runGroup([each]);
    }
  }

  return (item) =>
    new Promise<Result>((resolve, reject) => {
      const room = rules.roomOf?.(item) ?? '';
      const each = { item, room, resolve, reject };
      waiting.push(each);
      share += shareOf(each);
      // What waits behind its own room cannot begin a group, and a storm of it would be gone through again for each that comes.
      if (!busy.has(room)) runNext();
    });
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

/**
 * A semaphore by owner: so much runs at once, a bounded number of calls waits, and owners such as accounts, gateways or network addresses
 * take turns, so that no owner has to wait for all calls of another one.
 */
import type { Clock, Timer } from '../clock.js';

/** Compared number by number; the lower rank comes first. */
export type Rank = readonly number[];

export interface Semaphore {
  /**
   * Resolves when the owner's turn comes, after its earlier calls of the same rank, with a function that ends the turn
   * (idempotent). Rejects with QueueFullError when too many calls wait: either at once, or later, when this is the last
   * call of the owner that has the lowest claim to wait and another one needs the place. Rejects with a signal's reason
   * when that is aborted first.
   * @param how.rank calls with a lower rank begin before, and keep their places longer; left out: all are equal
   */
  enter(owner: string, how?: { rank?: Rank; signals?: readonly AbortSignal[] }): Promise<() => void>;
  /** Runs `work` in a turn of the owner, at once when there is one. Rejects as `enter` does, and with the error of `work`. */
  run<T>(owner: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T>;
  /** Resolves when nothing runs or waits. */
  idle(): Promise<void>;
}

export class QueueFullError extends Error {
  constructor(name: string, waitingMax: number) {
    super(`${name}: ${waitingMax} already wait; try again later`);
    this.name = 'QueueFullError';
  }
}

export interface SemaphoreOptions {
  /** The name of the calls, for error messages. */
  name: string;
  /** How many turns there are at once. */
  permits: number;
  /** How many of them one owner may have. Left out: `permits`. */
  permitsPerOwner?: number;
  /** Additional turns, only for the owners that `isFor` accepts. Left out: none. */
  spare?: { count: number; isFor(owner: string): boolean };
  /** How many calls may wait in all. */
  waitingMax: number;
  /** How many calls of one owner may wait. Left out: `waitingMax`. */
  waitingPerOwnerMax?: number;
  /** Bounds how fast turns begin. `begin` returns 0 when one begins now, else in how many milliseconds to ask again. Left out: nothing does. */
  pace?: { clock: Clock; begin(): number };
}

export function createSemaphore(options: SemaphoreOptions): Semaphore {
  const { pace } = options;
  const permits = createPermits(options);
  const line = createLine(options);
  const idlers: (() => void)[] = [];
  let timer: Timer | undefined;
  const isIdle = () => permits.areFree() && line.isEmpty();

  function hold(owner: string): () => void {
    let release: (() => void) | null = permits.acquire(owner);
    return () => {
      if (release === null) return;
      release();
      release = null;
      startWaiting();
      if (isIdle()) for (const resolve of idlers.splice(0)) resolve();
    };
  }

  /** One turn has ended, so at most one can begin, but for those that the pace kept waiting. */
  function startWaiting(): void {
    for (let next = line.first(permits.hasFor); next !== undefined; next = line.first(permits.hasFor)) {
      const waitMs = pace?.begin() ?? 0;
      if (waitMs > 0) {
        timer ??= pace?.clock.setTimer(waitMs, () => {
          timer = undefined;
          startWaiting();
        });
        return;
      }
      line.remove(next);
      next.start(hold(next.owner));
      if (pace === undefined) return;
    }
  }

  function enter(owner: string, rank: Rank, signals: readonly AbortSignal[]): (() => void) | Promise<() => void> {
    for (const signal of signals) signal.throwIfAborted();
    const isFree = permits.hasFor(owner) && (pace === undefined || (line.isEmpty() && pace.begin() === 0));
    if (isFree) return hold(owner);
    const turn = line.wait(owner, rank, signals);
    if (pace !== undefined) startWaiting();
    return turn;
  }

  return {
    enter: async (owner, { rank = [], signals = [] } = {}) => enter(owner, rank, signals),
    async run(owner, work, signal) {
      const turn = enter(owner, [], signal === undefined ? [] : [signal]);
      const leave = turn instanceof Promise ? await turn : turn;
      try {
        return await work();
      } finally {
        leave();
      }
    },
    idle: () => (isIdle() ? Promise.resolve() : new Promise((resolve) => idlers.push(resolve))),
  };
}

/** Counts the turns under way against the limits. */
function createPermits({ permits, permitsPerOwner = permits, spare }: SemaphoreOptions) {
  const heldBy = new Map<string, number>();
  const held = { usual: 0, spare: 0 };
  const hasSpare = (owner: string) => spare !== undefined && held.spare < spare.count && spare.isFor(owner);
  return {
    areFree: () => heldBy.size === 0,
    hasFor: (owner: string) => (heldBy.get(owner) ?? 0) < permitsPerOwner && (held.usual < permits || hasSpare(owner)),
    acquire(owner: string): () => void {
      const kind = held.usual < permits ? 'usual' : 'spare';
      held[kind] += 1;
      heldBy.set(owner, (heldBy.get(owner) ?? 0) + 1);
      return () => {
        held[kind] -= 1;
        const others = (heldBy.get(owner) ?? 1) - 1;
        if (others > 0) heldBy.set(owner, others);
        else heldBy.delete(owner);
      };
    },
  };
}

interface Waiting {
  owner: string;
  rank: Rank;
  start(leave: () => void): void;
  refuse(reason: unknown): void;
}

function isBefore(one: Rank, other: Rank): boolean {
  const at = one.findIndex((value, index) => value !== other[index]);
  return at !== -1 && (one[at] ?? 0) < (other[at] ?? 0);
}

/** A call that waits until it is started or refused, or a signal is aborted. */
function waitingCall(options: {
  owner: string;
  rank: Rank;
  signals: readonly AbortSignal[];
  resolve(leave: () => void): void;
  reject(reason: unknown): void;
  onAbort(): void;
}): Waiting {
  const { owner, rank, signals, resolve, reject, onAbort } = options;
  const abort = () => {
    onAbort();
    settle(() => reject(signals.find(({ aborted }) => aborted)?.reason));
  };
  const settle = (end: () => void) => {
    for (const signal of signals) signal.removeEventListener('abort', abort);
    end();
  };
  for (const signal of signals) signal.addEventListener('abort', abort, { once: true });
  return {
    owner,
    rank,
    start: (leave) => settle(() => resolve(leave)),
    refuse: (reason) => settle(() => reject(reason)),
  };
}

/** The waiting calls of each owner. */
function createLine({ name, waitingMax, waitingPerOwnerMax = waitingMax }: SemaphoreOptions) {
  /** The first owner has the next turn of a rank. An owner without waiting calls is not in the map. */
  const owners = new Map<string, Waiting[]>();
  let count = 0;

  /** An owner whose call begins moves behind all others; one whose call leaves keeps its place. */
  function remove(call: Waiting, isStarted = true): void {
    const calls = owners.get(call.owner) ?? [];
    calls.splice(calls.indexOf(call), 1);
    count -= 1;
    if (isStarted || calls.length === 0) owners.delete(call.owner);
    if (isStarted && calls.length > 0) owners.set(call.owner, calls);
  }

  /**
   * Refuses the last call of the worst rank, and of these of the owner with most, so that an owner that fills the line
   * does not shut out others.
   */
  function makeRoom(rank: Rank, ofOwner: number): void {
    const full = new QueueFullError(name, waitingMax);
    let worst: { last: Waiting; length: number } | undefined;
    const isWorse = (one: Rank, length: number) =>
      worst === undefined ||
      isBefore(worst.last.rank, one) ||
      (!isBefore(one, worst.last.rank) && length >= worst.length);
    for (const calls of owners.values()) {
      const last = calls.at(-1);
      if (last !== undefined && isWorse(last.rank, calls.length)) worst = { last, length: calls.length };
    }
    if (worst === undefined || isWorse(rank, ofOwner + 1)) throw full;
    remove(worst.last, false);
    worst.last.refuse(full);
  }

  return {
    isEmpty: () => count === 0,
    remove,
    /** The call that begins next, when its owner may have a turn. */
    first(mayBegin: (owner: string) => boolean): Waiting | undefined {
      let first: Waiting | undefined;
      for (const [owner, [call]] of owners) {
        if (call === undefined || !mayBegin(owner)) continue;
        if (call.rank.length === 0) return call;
        if (first === undefined || isBefore(call.rank, first.rank)) first = call;
      }
      return first;
    },
    async wait(owner: string, rank: Rank, signals: readonly AbortSignal[]): Promise<() => void> {
      const calls = owners.get(owner) ?? [];
      if (calls.length >= waitingPerOwnerMax) throw new QueueFullError(name, waitingPerOwnerMax);
      if (count >= waitingMax) makeRoom(rank, calls.length);
      return new Promise((resolve, reject) => {
        const call = waitingCall({ owner, rank, signals, resolve, reject, onAbort: () => remove(call, false) });
        // Behind all calls that do not come after it: nearly always the last place.
        calls.splice(calls.findLastIndex((each) => !isBefore(rank, each.rank)) + 1, 0, call);
        owners.set(owner, calls);
        count += 1;
      });
    },
  };
}

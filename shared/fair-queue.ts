/**
 * A queue that runs a limited number of calls at once. Those that wait are held by share (who asks: an account, a gateway), and the shares
 * take turns, so that nobody waits for all that somebody else has asked.
 */

export interface FairQueue {
  /**
   * Runs `work` when the turn of its share comes, after what the share asked before. Rejects with QueueFullError when too much waits: at
   * once, or while it waits if it was the last of the longest share when another share needed the room. When the signal is aborted while
   * it waits, it leaves the queue and rejects with the signal's reason.
   */
  run<T>(share: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T>;
  /** Resolves when nothing runs or waits. */
  idle(): Promise<void>;
}

export class QueueFullError extends Error {
  constructor(name: string, waitingMax: number) {
    super(`${name}: ${waitingMax} already wait; try again later`);
    this.name = 'QueueFullError';
  }
}

export interface FairQueueOptions {
  /** What waits here, in words for people. */
  name: string;
  /** How many calls run at once. */
  concurrency: number;
  /** How many of one share run at once; as many as run at all when left out. */
  runningPerShareMax?: number;
  /** So many more run at once, of shares of which this says so when they begin. Left out: none. */
  spare?: { count: number; isFor(share: string): boolean };
  /** How many may wait in all. */
  waitingMax: number;
  /** How many of one share may wait. */
  waitingPerShareMax: number;
}

type Place = 'usual' | 'spare';

interface Waiting {
  start(place: Place): void;
  refuse(reason: unknown): void;
}

export function createFairQueue(options: FairQueueOptions): FairQueue {
  const { name, concurrency, runningPerShareMax = concurrency, spare, waitingMax, waitingPerShareMax } = options;
  /** Those that wait, by share. The first share is the next one to have a turn; a share of which nothing waits is not in it. */
  const shares = new Map<string, Waiting[]>();
  /** How many run, by share. */
  const runningOf = new Map<string, number>();
  const idlers: (() => void)[] = [];
  let running = 0;
  /** How many of them run in spare places. */
  let runningSpare = 0;
  let waitingCount = 0;

  const hasUsualPlace = (): boolean => running - runningSpare < concurrency;
  const hasSparePlace = (share: string): boolean =>
    spare !== undefined && runningSpare < spare.count && spare.isFor(share);
  const mayBegin = (share: string): boolean =>
    (runningOf.get(share) ?? 0) < runningPerShareMax && (hasUsualPlace() || hasSparePlace(share));

  function begin(share: string): Place {
    const place = hasUsualPlace() ? 'usual' : 'spare';
    running += 1;
    if (place === 'spare') runningSpare += 1;
    runningOf.set(share, (runningOf.get(share) ?? 0) + 1);
    return place;
  }

  function finish(share: string, place: Place): void {
    running -= 1;
    if (place === 'spare') runningSpare -= 1;
    const others = (runningOf.get(share) ?? 1) - 1;
    if (others > 0) runningOf.set(share, others);
    else runningOf.delete(share);
    startNext();
    if (running === 0) for (const resolve of idlers.splice(0)) resolve();
  }

  /** One call has ended, so at most one begins: of the first share in turn that may run another. */
  function startNext(): void {
    for (const [share, waiting] of shares) {
      if (!mayBegin(share)) continue;
      const next = waiting.shift();
      // The share goes behind all others that wait now.
      shares.delete(share);
      if (waiting.length > 0) shares.set(share, waiting);
      waitingCount -= 1;
      next?.start(begin(share));
      return;
    }
  }

  function turnOf(share: string, signal: AbortSignal | undefined): Promise<Place> {
    const ofShare = shares.get(share) ?? [];
    if (ofShare.length >= waitingPerShareMax) throw new QueueFullError(name, waitingPerShareMax);
    if (waitingCount >= waitingMax) makeRoom(ofShare.length);
    return new Promise<Place>((resolve, reject) => {
      const leave = () => {
        const waiting = shares.get(share) ?? [];
        waiting.splice(waiting.indexOf(entry), 1);
        if (waiting.length === 0) shares.delete(share);
        waitingCount -= 1;
        reject(signal?.reason);
      };
      const entry: Waiting = {
        start(place) {
          signal?.removeEventListener('abort', leave);
          resolve(place);
        },
        refuse(reason) {
          signal?.removeEventListener('abort', leave);
          reject(reason);
        },
      };
      signal?.addEventListener('abort', leave, { once: true });
      ofShare.push(entry);
      shares.set(share, ofShare);
      waitingCount += 1;
    });
  }

  /** Refuses the newest of the longest share: a share that fills the queue must not keep out those that ask little. */
  function makeRoom(lengthOfAsking: number): void {
    let longest: [share: string, waiting: Waiting[]] | undefined;
    for (const each of shares) if (each[1].length > (longest?.[1].length ?? 0)) longest = each;
    const full = new QueueFullError(name, waitingMax);
    if (longest === undefined || longest[1].length <= lengthOfAsking + 1) throw full;
    longest[1].pop()?.refuse(full);
    waitingCount -= 1;
  }

  return {
    async run(share, work, signal) {
      signal?.throwIfAborted();
      const place = mayBegin(share) ? begin(share) : await turnOf(share, signal);
      try {
        return await work();
      } finally {
        finish(share, place);
      }
    },
    idle() {
      return running === 0 ? Promise.resolve() : new Promise((resolve) => idlers.push(resolve));
    },
  };
}

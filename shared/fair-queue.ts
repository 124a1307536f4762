/**
 * A queue that runs a limited number of calls at once. Those that wait are held by share (who asks: an account, a gateway), and the shares
 * take turns, so that nobody waits for all that somebody else has asked.
 */

export interface FairQueue {
  /**
   * Runs `work` when the turn of its share comes, after what the share asked before. Rejects with QueueFullError when too much waits: at
   * once, or while it waits if it was the last of the longest share when another share needed the room.
   */
  run<T>(share: string, work: () => Promise<T>): Promise<T>;
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
  /** How many may wait in all. */
  waitingMax: number;
  /** How many of one share may wait. */
  waitingPerShareMax: number;
}

interface Waiting {
  start(): void;
  refuse(error: QueueFullError): void;
}

export function createFairQueue(options: FairQueueOptions): FairQueue {
  const { name, concurrency, waitingMax, waitingPerShareMax } = options;
  /** Those that wait, by share. The first share is the next one to have a turn; a share of which nothing waits is not in it. */
  const shares = new Map<string, Waiting[]>();
  const idlers: (() => void)[] = [];
  let running = 0;
  let waitingCount = 0;

  function finish(): void {
    const next = takeNext();
    if (next !== undefined) {
      next.start();
      return;
    }
    running -= 1;
    if (running === 0) for (const resolve of idlers.splice(0)) resolve();
  }

  function takeNext(): Waiting | undefined {
    for (const [share, waiting] of shares) {
      const next = waiting.shift();
      // The share goes behind all others that wait now.
      shares.delete(share);
      if (waiting.length > 0) shares.set(share, waiting);
      waitingCount -= 1;
      return next;
    }
    return undefined;
  }

  function turnOf(share: string): Promise<void> {
    const ofShare = shares.get(share) ?? [];
    if (ofShare.length >= waitingPerShareMax) throw new QueueFullError(name, waitingPerShareMax);
    if (waitingCount >= waitingMax) makeRoom(ofShare.length);
    return new Promise<void>((resolve, reject) => {
      ofShare.push({ start: resolve, refuse: reject });
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
    async run(share, work) {
      if (running < concurrency) running += 1;
      else await turnOf(share);
      try {
        return await work();
      } finally {
        finish();
      }
    },
    idle() {
      return running === 0 ? Promise.resolve() : new Promise((resolve) => idlers.push(resolve));
    },
  };
}

/**
 * A queue that runs a limited number of calls at once. Each call belongs to a share: the account or gateway that makes it. The shares take
 * turns, so that no share has to wait for all calls of another one.
 */

export interface FairQueue {
  /**
   * Runs `work` when the turn of its share comes, after the earlier calls of that share. Rejects with QueueFullError when too many calls
   * wait: either at once, or later, when another share needs the room and this is the last call of the longest share. When the signal is
   * aborted while the call waits, the call leaves the queue and rejects with the signal's reason.
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
  /** What the calls are, for error messages. */
  name: string;
  /** How many calls run at once. */
  concurrency: number;
  /** How many calls of one share run at once. Left out: `concurrency`. */
  runningPerShareMax?: number;
  /** Additional calls that may run at once, only for the shares that `isFor` accepts. Left out: none. */
  spare?: { count: number; isFor(share: string): boolean };
  /** How many calls may wait in all. */
  waitingMax: number;
  /** How many calls of one share may wait. */
  waitingPerShareMax: number;
}

type Place = 'usual' | 'spare';

export function createFairQueue(options: FairQueueOptions): FairQueue {
  const places = createPlaces(options);
  const line = createLine(options);
  const idlers: (() => void)[] = [];

  function finish(share: string, place: Place): void {
    places.free(share, place);
    // One call has ended, so at most one can begin.
    line.startNext(places.hasFor, places.occupy);
    if (places.areFree()) for (const resolve of idlers.splice(0)) resolve();
  }

  return {
    async run(share, work, signal) {
      signal?.throwIfAborted();
      const place = places.hasFor(share) ? places.occupy(share) : await line.wait(share, signal);
      try {
        return await work();
      } finally {
        finish(share, place);
      }
    },
    idle() {
      return places.areFree() ? Promise.resolve() : new Promise((resolve) => idlers.push(resolve));
    },
  };
}

/** Counts the running calls against the limits. */
function createPlaces({ concurrency, runningPerShareMax = concurrency, spare }: FairQueueOptions) {
  /** How many calls run, by share. */
  const runningOf = new Map<string, number>();
  const running = { usual: 0, spare: 0 };

  const hasSpare = (share: string): boolean => spare !== undefined && running.spare < spare.count && spare.isFor(share);

  return {
    areFree: (): boolean => runningOf.size === 0,
    hasFor: (share: string): boolean =>
      (runningOf.get(share) ?? 0) < runningPerShareMax && (running.usual < concurrency || hasSpare(share)),
    occupy(share: string): Place {
      const place = running.usual < concurrency ? 'usual' : 'spare';
      running[place] += 1;
      runningOf.set(share, (runningOf.get(share) ?? 0) + 1);
      return place;
    },
    free(share: string, place: Place): void {
      running[place] -= 1;
      const others = (runningOf.get(share) ?? 1) - 1;
      if (others > 0) runningOf.set(share, others);
      else runningOf.delete(share);
    },
  };
}

interface Waiting {
  start(place: Place): void;
  refuse(reason: unknown): void;
}

/** The waiting calls of each share. */
function createLine({ name, waitingMax, waitingPerShareMax }: FairQueueOptions) {
  /** The first share has the next turn. A share without waiting calls is not in the map. */
  const shares = new Map<string, Waiting[]>();
  let waitingCount = 0;

  /** Refuses the newest call of the longest share, so that a share that fills the queue does not shut out shares with few calls. */
  function makeRoom(lengthOfAsking: number): void {
    let longest: [share: string, waiting: Waiting[]] | undefined;
    for (const each of shares) if (each[1].length > (longest?.[1].length ?? 0)) longest = each;
    const full = new QueueFullError(name, waitingMax);
    if (longest === undefined || longest[1].length <= lengthOfAsking + 1) throw full;
    longest[1].pop()?.refuse(full);
    waitingCount -= 1;
  }

  return {
    /** Waits until a call of the share may run. Rejects as `FairQueue.run` describes. */
    async wait(share: string, signal: AbortSignal | undefined): Promise<Place> {
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
    },
    /** Starts the next call: the first waiting one of the first share that has room. */
    startNext(hasPlace: (share: string) => boolean, occupy: (share: string) => Place): void {
      for (const [share, waiting] of shares) {
        if (!hasPlace(share)) continue;
        const next = waiting.shift();
        // The share moves behind all other waiting shares.
        shares.delete(share);
        if (waiting.length > 0) shares.set(share, waiting);
        waitingCount -= 1;
        next?.start(occupy(share));
        return;
      }
    },
  };
}

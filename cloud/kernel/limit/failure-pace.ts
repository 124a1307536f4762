import type { Clock } from '../../../shared/clock.js';
import { QueueFullError } from '../../../shared/fair-queue.js';
import { keepNewest } from '../../../shared/keep-newest.js';

const WINDOW_MS = 60_000;
/** Attempts beyond the budget begin five a second. */
const PACE_MS = 200;
/** So nobody waits longer than ten seconds. */
const WAITING_MAX = 50;
/** A share that has not failed for so long is forgotten. */
const FORGOTTEN_MS = 3_600_000;
const SHARES_MAX = 10_000;

/** Slows down guessing by many addresses, each of which stays within a limit of its own. Nobody is locked out by the failures of others. */
export interface FailurePace {
  /**
   * Runs `work`: at once while the failures of all shares together are within their budget, and in its turn otherwise. Who has failed least
   * in the last hour is first, so that each address of a crowd has to fail as often before it is in the way of one that has not; and of
   * these who asked first, also when there was no room then.
   * @throws QueueFullError when too many wait before this share; the signal's reason when it is aborted while the attempt waits
   */
  attempt<T>(attempted: { share: string; signal: AbortSignal }, work: () => Promise<T>): Promise<T>;
}

interface Rank {
  /** Of the share, in the last hour. */
  failures: number;
  /** Since when it wants a turn, monotonic. */
  askedAt: number;
}

interface Waiting {
  rank: Rank;
  start(): void;
  refuse(full: QueueFullError): void;
}

const isBefore = (one: Rank, other: Rank): boolean =>
  one.failures === other.failures ? one.askedAt < other.askedAt : one.failures < other.failures;

/** What is known of shares that failed, or came back because there was no room for them. */
function createRanks(clock: Clock) {
  /** The one that asked last stands last. */
  const shares = new Map<string, { failures: number; turnedAwayAt: number | null; lastAt: number }>();
  const known = (share: string) => {
    const found = shares.get(share);
    return found !== undefined && clock.monotonic() - found.lastAt < FORGOTTEN_MS ? found : undefined;
  };
  const keep = (share: string, now: { failures: number; turnedAwayAt: number | null }) => {
    shares.delete(share);
    shares.set(share, { ...now, lastAt: clock.monotonic() });
    keepNewest(shares, SHARES_MAX);
  };
  const rankOf = (share: string): Rank => {
    const { failures = 0, turnedAwayAt = null } = known(share) ?? {};
    return { failures, askedAt: turnedAwayAt ?? clock.monotonic() };
  };
  return {
    rankOf,
    failed: (share: string) => keep(share, { failures: rankOf(share).failures + 1, turnedAwayAt: null }),
    turnedAway: (share: string, { failures, askedAt }: Rank) => keep(share, { failures, turnedAwayAt: askedAt }),
  };
}

/** The attempts that wait, in the order in which they came. */
function createLine() {
  const line: Waiting[] = [];
  const leave = (waiting: Waiting) => line.splice(line.indexOf(waiting), 1);
  return {
    leave,
    hasSome: (): boolean => line.length > 0,
    /** Whoever has the last turn gives the place to one who comes before. */
    enter(waiting: Waiting): void {
      line.push(waiting);
      if (line.length <= WAITING_MAX) return;
      const last = line.reduce((latest, each) => (isBefore(each.rank, latest.rank) ? latest : each));
      leave(last);
      last.refuse(new QueueFullError('attempts of all addresses', WAITING_MAX));
    },
    startFirst(): void {
      const first = line.reduce((soonest, each) => (isBefore(each.rank, soonest.rank) ? each : soonest));
      leave(first);
      first.start();
    },
  };
}

/** Begins attempts: at once within the budget, and otherwise one after the other, the first of the line first. */
function createTurns(options: { failuresPerMin: number; clock: Clock; ranks: ReturnType<typeof createRanks> }) {
  const { failuresPerMin, clock, ranks } = options;
  const line = createLine();
  /** Monotonic times of the last failures, as many as the budget has. */
  const failures: number[] = [];
  let running = 0;
  let nextAt = clock.monotonic();
  let isTimerSet = false;

  /** What runs may fail, so it counts until it has not. */
  const mayBegin = (): boolean => {
    const now = clock.monotonic();
    while (failures[0] !== undefined && failures[0] <= now - WINDOW_MS) failures.shift();
    return failures.length + running < failuresPerMin || now >= nextAt;
  };
  const startDue = () => {
    while (line.hasSome() && mayBegin()) line.startFirst();
    if (!line.hasSome() || isTimerSet) return;
    isTimerSet = true;
    clock.setTimer(nextAt - clock.monotonic(), () => {
      isTimerSet = false;
      startDue();
    });
  };
  return {
    wait: (share: string, signal: AbortSignal) =>
      new Promise<void>((resolve, reject) => {
        const giveUp = () => {
          line.leave(waiting);
          reject(signal.reason);
        };
        const rank = ranks.rankOf(share);
        const waiting: Waiting = {
          rank,
          start() {
            signal.removeEventListener('abort', giveUp);
            running += 1;
            nextAt = clock.monotonic() + PACE_MS;
            resolve();
          },
          refuse(full) {
            signal.removeEventListener('abort', giveUp);
            ranks.turnedAway(share, rank);
            reject(full);
          },
        };
        signal.addEventListener('abort', giveUp, { once: true });
        line.enter(waiting);
        startDue();
      }),
    noteFailure() {
      failures.push(clock.monotonic());
      if (failures.length > failuresPerMin) failures.shift();
    },
    end() {
      running -= 1;
      startDue();
    },
  };
}

/** @param options.failuresPerMin the budget of all shares together; 0: no limit */
export function createFailurePace(options: {
  failuresPerMin: number;
  clock: Clock;
  countsAsFailure: (error: unknown) => boolean;
}): FailurePace {
  const { failuresPerMin, clock, countsAsFailure } = options;
  const ranks = createRanks(clock);
  const turns = createTurns({ failuresPerMin, clock, ranks });

  return {
    async attempt({ share, signal }, work) {
      if (failuresPerMin === 0) return work();
      signal.throwIfAborted();
      await turns.wait(share, signal);
      try {
        return await work();
      } catch (error) {
        if (countsAsFailure(error)) {
          ranks.failed(share);
          turns.noteFailure();
        }
        throw error;
      } finally {
        turns.end();
      }
    },
  };
}

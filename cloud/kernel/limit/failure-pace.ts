import type { Clock } from '../../../shared/clock.js';
import { createSemaphore, QueueFullError } from '../../../shared/flow/semaphore.js';
import { keepNewest } from '../../../shared/keep-newest.js';

const WINDOW_MS = 60_000;
/** Attempts beyond the budget begin five a second. */
const PACE_MS = 200;
/** So nobody waits longer than ten seconds. */
const WAITING_MAX = 50;
/** An owner that has not failed for so long is forgotten. */
const FORGOTTEN_MS = 3_600_000;
const OWNERS_MAX = 10_000;

/** Slows down guessing by many addresses, each of which stays within a limit of its own. Nobody is locked out by the failures of others. */
export interface FailurePace {
  /**
   * Runs `work`: at once while the failures of all owners together are within their budget, and in its turn otherwise. Who has failed least
   * in the last hour is first, so that each address of a crowd has to fail as often before it is in the way of one that has not; and of
   * these who asked first, also when there was no room then.
   * @throws QueueFullError when too many wait before this owner; the signal's reason when it is aborted while the attempt waits
   */
  attempt<T>(attempted: { owner: string; signal: AbortSignal }, work: () => Promise<T>): Promise<T>;
}

/** What is known of owners that failed, or came back because there was no room for them. */
function createRanks(clock: Clock) {
  /** The one that asked last stands last. */
  const owners = new Map<string, { failures: number; turnedAwayAt: number | null; lastAt: number }>();
  const known = (owner: string) => {
    const found = owners.get(owner);
    return found !== undefined && clock.monotonic() - found.lastAt < FORGOTTEN_MS ? found : undefined;
  };
  const keep = (owner: string, now: { failures: number; turnedAwayAt: number | null }) => {
    owners.delete(owner);
    owners.set(owner, { ...now, lastAt: clock.monotonic() });
    keepNewest(owners, OWNERS_MAX);
  };
  const rankOf = (owner: string) => {
    const { failures = 0, turnedAwayAt = null } = known(owner) ?? {};
    return { failures, askedAt: turnedAwayAt ?? clock.monotonic() };
  };
  return {
    rankOf,
    failed: (owner: string) => keep(owner, { failures: rankOf(owner).failures + 1, turnedAwayAt: null }),
    turnedAway: (owner: string, { failures, askedAt }: { failures: number; askedAt: number }) =>
      keep(owner, { failures, turnedAwayAt: askedAt }),
  };
}

/** Says when attempts begin: at once within the budget, and otherwise one after the other. */
function createPace({ failuresPerMin, clock }: { failuresPerMin: number; clock: Clock }) {
  /** Monotonic times of the last failures, as many as the budget has. */
  const failures: number[] = [];
  /** What runs may fail, so it counts until it has not. */
  let running = 0;
  let nextAt = clock.monotonic();
  return {
    clock,
    begin(): number {
      const now = clock.monotonic();
      while (failures[0] !== undefined && failures[0] <= now - WINDOW_MS) failures.shift();
      if (failures.length + running >= failuresPerMin && now < nextAt) return nextAt - now;
      running += 1;
      nextAt = now + PACE_MS;
      return 0;
    },
    noteFailure() {
      failures.push(clock.monotonic());
      if (failures.length > failuresPerMin) failures.shift();
    },
    end: () => void (running -= 1),
  };
}

/** @param options.failuresPerMin the budget of all owners together; 0: no limit */
export function createFailurePace(options: {
  failuresPerMin: number;
  clock: Clock;
  countsAsFailure: (error: unknown) => boolean;
}): FailurePace {
  const { failuresPerMin, clock, countsAsFailure } = options;
  const ranks = createRanks(clock);
  const pace = createPace({ failuresPerMin, clock });
  const turns = createSemaphore({
    name: 'attempts of all addresses',
    permits: Number.POSITIVE_INFINITY,
    waitingMax: WAITING_MAX,
    pace,
  });

  async function enter(owner: string, signal: AbortSignal): Promise<() => void> {
    const rank = ranks.rankOf(owner);
    try {
      return await turns.enter(owner, { rank: [rank.failures, rank.askedAt], signals: [signal] });
    } catch (error) {
      if (error instanceof QueueFullError) ranks.turnedAway(owner, rank);
      throw error;
    }
  }

  return {
    async attempt({ owner, signal }, work) {
      if (failuresPerMin === 0) return work();
      const leave = await enter(owner, signal);
      try {
        return await work();
      } catch (error) {
        if (countsAsFailure(error)) {
          ranks.failed(owner);
          pace.noteFailure();
        }
        throw error;
      } finally {
        pace.end();
        leave();
      }
    },
  };
}

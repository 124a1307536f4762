import { z } from 'zod';
import type { Clock } from '../../../shared/clock.js';
import { createMutex } from '../../../shared/flow/mutex.js';
import { QueueFullError } from '../../../shared/flow/semaphore.js';
import { RetryLaterError } from './retry-later-error.js';
import type { SharedCounts } from './shared-counts.js';

const WINDOW_MS = 60_000;
/** How many names of one owner are known at a time, so that nobody drives others out of the memory by names that are made up. */
const NAMES_MAX = 100;
const ENTRIES_MAX = 10_000;
/** How many entries are left when there were too many: to look through all of them for each new one would take too long. */
const ENTRIES_KEPT = 9_000;
/** How many attempts of one owner may run or wait for their turn. */
const PENDING_MAX = 100;

/** The owner and the name of an attempt. Both are limited together: each name of an owner for itself. */
export interface Attempted {
  /** Who asks: an address, a user. */
  owner: string;
  /** What is attempted, when an owner may attempt several things: a mail. */
  name?: string;
  /**
   * Asked when the owner has failed at too many names to have one more: whether this one has proved itself there before. It has a place
   * beside them then. Left out: none has.
   */
  isProven?: () => Promise<boolean>;
}

export interface FailureLimiter {
  /**
   * Runs `work`, and counts it when it fails with an error that counts. Attempts at one name of an owner run one after another, so that many
   * at once may fail no more often than as many in a row.
   * @throws RetryLaterError (TOO_MANY_REQUESTS) when the name has no failure left in this minute, or the owner has failed at too many names;
   * QueueFullError when too many attempts of the owner wait
   */
  attempt<T>(attempted: Attempted, work: () => Promise<T>): Promise<T>;
}

/** What has proved itself is counted beside those who made up all their names. */
const provenOwner = (owner: string): string => `${owner} proven`;

const attemptedSchema = z.object({ owner: z.string(), name: z.string() });
type Counted = z.infer<typeof attemptedSchema>;

interface Entry {
  /** Monotonic times of the failures of the last minute, oldest first. */
  failures: number[];
  /** Attempts that run or wait. */
  pending: number;
}

/**
 * The entries of all owners, within the bounds above. @param options.isSpent whether an entry counts no more, when nothing of it runs or waits
 */
function createEntries(options: { isSpent: (entry: Entry) => boolean; refuse: (oldest: Entry | undefined) => Error }) {
  const owners = new Map<string, Map<string, Entry>>();
  let size = 0;

  const forgetUnused = (owner: string, name: string) => {
    const names = owners.get(owner);
    if (names?.get(name)?.pending !== 0 || !names.delete(name)) return;
    size -= 1;
    if (names.size === 0) owners.delete(owner);
  };

  const forgetSpent = (owner: string, names: Map<string, Entry>) => {
    for (const [name, entry] of names) if (options.isSpent(entry)) forgetUnused(owner, name);
  };

  /** Whether the owner has no room for this name. */
  const isFull = (owner: string, name: string): boolean => {
    const names = owners.get(owner);
    if (names === undefined || names.size < NAMES_MAX || names.has(name)) return false;
    forgetSpent(owner, names);
    return names.size >= NAMES_MAX;
  };

  /** Forgets what counts no more, and then, of the owners with the most names, those that were added first. */
  const makeRoom = () => {
    for (const [owner, names] of owners) forgetSpent(owner, names);
    const longestFirst = [...owners].toSorted(([, one], [, other]) => other.size - one.size);
    for (const [owner, names] of longestFirst) {
      for (const name of names.keys()) {
        if (size <= ENTRIES_KEPT) return;
        forgetUnused(owner, name);
      }
    }
  };

  return {
    isFull,
    forgetUnused,
    /** @throws what `refuse` gives, when the owner has no room for a new name */
    of(owner: string, name: string): Entry {
      const known = owners.get(owner)?.get(name);
      if (known !== undefined) return known;
      if (isFull(owner, name)) throw options.refuse(owners.get(owner)?.values().next().value);
      if (size >= ENTRIES_MAX) makeRoom();
      const names = owners.get(owner) ?? new Map<string, Entry>();
      const entry: Entry = { failures: [], pending: 0 };
      owners.set(owner, names.set(name, entry));
      size += 1;
      return entry;
    },
    pendingOf: (owner: string): number =>
      [...(owners.get(owner)?.values() ?? [])].reduce((sum, { pending }) => sum + pending, 0),
  };
}

/**
 * Limits how often attempts may fail within a minute. @param options.failuresPerMin 0: no limit
 * @param options.shared what other processes count; left out: none does
 */
export function createFailureLimiter(options: {
  failuresPerMin: number;
  clock: Clock;
  countsAsFailure: (error: unknown) => boolean;
  shared?: SharedCounts | undefined;
}): FailureLimiter {
  const { failuresPerMin, clock, countsAsFailure, shared } = options;

  const failuresOf = ({ failures }: Entry): number[] => {
    const since = clock.monotonic() - WINDOW_MS;
    while (failures[0] !== undefined && failures[0] <= since) failures.shift();
    return failures;
  };
  const retryLater = (since = clock.monotonic()) =>
    new RetryLaterError(429, { retryAfterS: Math.max(1, Math.ceil((since + WINDOW_MS - clock.monotonic()) / 1_000)) });
  const refuseWhenSpent = (entry: Entry) => {
    const failures = failuresOf(entry);
    if (failures.length >= failuresPerMin) throw retryLater(failures[0]);
  };
  const entries = createEntries({
    isSpent: (entry) => failuresOf(entry).length === 0,
    refuse: (oldest) => retryLater(oldest?.failures[0]),
  });

  shared?.onCounted((key, count) => {
    if (failuresPerMin === 0) return;
    const { owner, name } = attemptedSchema.parse(JSON.parse(key));
    try {
      const { failures } = entries.of(owner, name);
      for (let times = 0; times < count; times++) failures.push(clock.monotonic());
    } catch (error) {
      // The owner has failed at so many names already that it is refused in any case.
      if (!(error instanceof RetryLaterError)) throw error;
    }
  });

  const turns = createMutex<Entry>();
  const run = async <T>(entry: Entry, attempted: Counted, work: () => Promise<T>): Promise<T> => {
    refuseWhenSpent(entry);
    try {
      return await work();
    } catch (error) {
      if (countsAsFailure(error)) {
        entry.failures.push(clock.monotonic());
        shared?.note(JSON.stringify(attempted));
      }
      throw error;
    }
  };

  return {
    async attempt({ owner: asked, name = '', isProven }, work) {
      if (failuresPerMin === 0) return work();
      const owner = entries.isFull(asked, name) && (await isProven?.()) ? provenOwner(asked) : asked;
      const entry = entries.of(owner, name);
      refuseWhenSpent(entry);
      if (entries.pendingOf(owner) >= PENDING_MAX) throw new QueueFullError('attempts', PENDING_MAX);
      entry.pending += 1;
      try {
        return await turns.run(entry, () => run(entry, { owner, name }, work));
      } finally {
        entry.pending -= 1;
        if (entry.failures.length === 0) entries.forgetUnused(owner, name);
      }
    },
  };
}

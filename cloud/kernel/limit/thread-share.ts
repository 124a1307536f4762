/**
 * The share that each account has of the one thread, measured in time: long work comes in pieces, and whoever used up their share waits with
 * the next piece, and with the next request, until others had theirs.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '../../../shared/clock.js';
import { createBuckets } from '../../../shared/flow/buckets.js';
import { createSemaphore } from '../../../shared/flow/semaphore.js';

/** What an account may use before it waits. */
const AT_ONCE_MS = 50;
/** An account has a quarter of the thread in the long run. */
const PAID = { eachMs: 4 };
/** How long a piece takes that can be left at any moment. */
const PIECE_MS = 4;
const ACCOUNTS_MAX = 10_000;
const WAITING_MAX = 20_000;
const WAITING_PER_TOKEN_MAX = 1_000;

/** The account whose time is counted, and the token that works: tokens take turns, so that a person does not wait behind all that a program asked. */
export interface Sharer {
  account_id: number;
  /** Names the token. */
  token: string;
}

export interface ThreadShare {
  /** Resolves when the account may go on; null: at once. */
  turn(of: Sharer): Promise<void> | null;
  /**
   * Runs a piece of work when the account may go on, in a turn of the event loop of its own, and counts how long that turn took.
   * @param piece may leave the rest to another piece as soon as `isLong` says that it took long enough
   */
  run<T>(of: Sharer, piece: Piece<T>): Promise<T>;
}

export type Piece<T> = (isLong: () => boolean) => T;

export function createThreadShare({ clock }: { clock: Clock }): ThreadShare {
  const used = createBuckets({ clock, size: AT_ONCE_MS, refill: PAID, keysMax: ACCOUNTS_MAX });
  const turns = createSemaphore({
    name: 'work of a token',
    permits: Number.POSITIVE_INFINITY,
    permitsPerOwner: 1,
    waitingMax: WAITING_MAX,
    waitingPerOwnerMax: WAITING_PER_TOKEN_MAX,
  });
  const owedFor = ({ account_id }: Sharer): number => used.waitMs(String(account_id), 0);

  /** Of several that wait, the first to go on may use up the share again. */
  async function paid(of: Sharer): Promise<void> {
    for (let waitMs = owedFor(of); waitMs > 0; waitMs = owedFor(of)) {
      await new Promise<void>((resolve) => void clock.setTimer(Math.ceil(waitMs), resolve));
    }
  }

  return {
    turn: (of) => (owedFor(of) > 0 ? turns.run(of.token, () => paid(of)) : null),
    run: (of, piece) =>
      turns.run(of.token, async () => {
        // What the piece before has used is counted by then.
        await nextTurn();
        await paid(of);
        const beganMs = clock.monotonic();
        // What follows from it in the same turn, such as writing it to a socket, is the account's, too.
        setImmediate(() => used.owe(String(of.account_id), clock.monotonic() - beganMs));
        return piece(() => clock.monotonic() - beganMs >= PIECE_MS);
      }),
  };
}

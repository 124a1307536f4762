/**
 * The share that each account has of the one thread: long work comes in pieces, and whoever used up their share waits with the next piece,
 * and with the next request, until others had theirs.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '../../../shared/clock.js';
import { createThreadShare as createShare } from '../../../shared/flow/thread-share.js';

/** What an account may use before it waits. */
const AT_ONCE_MS = 50;
/** An account has a quarter of the thread in the long run. */
const EACH_MS = 4;
const ACCOUNTS_MAX = 10_000;
const WAITING_MAX = 20_000;
const WAITING_PER_TOKEN_MAX = 1_000;
/** How long a piece takes that can be left at any moment. */
const PIECE_MS = 4;

/** The account whose time is counted, and the token that works: tokens take turns, so that a person does not wait behind all that a program asked. */
interface Sharer {
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
  const share = createShare({
    clock,
    atOnceMs: AT_ONCE_MS,
    eachMs: EACH_MS,
    ownersMax: ACCOUNTS_MAX,
    waitingMax: WAITING_MAX,
    waitingPerLineMax: WAITING_PER_TOKEN_MAX,
  });
  return {
    turn({ account_id, token }) {
      const owner = String(account_id);
      return share.waitMs(owner) > 0 ? share.inLine(token, () => share.paid(owner)) : null;
    },
    run: ({ account_id, token }, piece) =>
      share.inLine(token, async () => {
        const owner = String(account_id);
        // What the piece before has used is counted by then.
        await nextTurn();
        await share.paid(owner);
        const beganMs = clock.monotonic();
        // What follows from it in the same turn, such as writing it to a socket, is the account's, too.
        setImmediate(() => share.owe(owner, clock.monotonic() - beganMs));
        return piece(() => clock.monotonic() - beganMs >= PIECE_MS);
      }),
  };
}

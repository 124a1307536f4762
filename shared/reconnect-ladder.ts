/**
 * Decides how long a client waits before it connects again: not at all after a link that lasted, a second while the other machine answers but
 * its program does not listen, and otherwise longer and longer. It reads only the given clock and sets no timer.
 */
import { backoffDelayMs, type BackoffLimits } from './backoff.js';
import type { Clock } from './clock.js';

/** The first attempt is made at a random moment within this time, so that a fleet does not connect at the same instant. */
export const FIRST_TRY_MAX_MS = 500;
/** While the program is absent (`LinkEnd`), attempts are made about this often, a little sooner at random. */
const ABSENT_TRY_MS = 1_000;
const ABSENT_FOR_MS = 10_000;
/** The longest wait. */
const WAIT_MAX_MS = 60_000;
/** A link that lasted for less is not a success. Otherwise two clones of a gateway would disconnect each other forever. */
const STOOD_MS = 10_000;
/** The attempts once a second are not resumed before this time has passed, unless a link lasted in between. */
const ABSENT_AGAIN_MS = 20_000;
/** Doubled for each wait; half of a wait is fixed and half is random. */
const HALF_WAIT: BackoffLimits = { baseMs: 1_000, maxMs: WAIT_MAX_MS / 2 };

/**
 * The end of an attempt or a link. `absent`: the machine answers that nothing listens on the port. `closed`: the other side closed the link.
 * `refused`: the other side rejects the client (credentials, permission). `broken`: the link could not be made, or no data came through any
 * more.
 */
export type LinkEnd = 'absent' | 'closed' | 'refused' | 'broken';

export interface ReconnectLadder {
  /** Call it when the link was made. */
  opened(): void;
  /** Call it when an attempt failed or the link ended. @returns milliseconds until the next attempt */
  lost(end: LinkEnd): number;
  /** Call it when the network is back. @returns milliseconds until the next attempt, which replace those of `lost` */
  returned(): number;
}

/** @param random a number in [0, 1), drawn for each wait */
export function createReconnectLadder(deps: { clock: Pick<Clock, 'monotonic'>; random(): number }): ReconnectLadder {
  const { clock, random } = deps;
  let openedMs: number | null = null;
  let doublings = 0;
  /** Since when attempts have been made once a second; -Infinity: no link has ended yet. */
  let lookingSinceMs = -Infinity;
  let lastEnd: LinkEnd | null = null;

  const mayLookAgain = (nowMs: number) => nowMs - lookingSinceMs >= ABSENT_AGAIN_MS;

  function begin(nowMs: number): number {
    doublings = 0;
    lookingSinceMs = nowMs;
    return Math.floor(random() * FIRST_TRY_MAX_MS);
  }

  return {
    opened() {
      openedMs = clock.monotonic();
    },
    lost(end) {
      const nowMs = clock.monotonic();
      const hasStood = openedMs !== null && nowMs - openedMs >= STOOD_MS;
      const wasSilent = lastEnd === 'broken';
      openedMs = null;
      lastEnd = end;
      const isThere = end === 'absent' || end === 'closed';
      if (hasStood || lookingSinceMs === -Infinity) {
        const firstMs = begin(nowMs);
        if (end !== 'refused') return firstMs;
      }
      // A machine that answers again after a silence may have been restarted, so its program will probably listen soon.
      if (isThere && wasSilent && mayLookAgain(nowMs)) return begin(nowMs);
      if (isThere && nowMs - lookingSinceMs < ABSENT_FOR_MS) return Math.ceil(ABSENT_TRY_MS * (1 - random() / 4));
      const waitMs = backoffDelayMs(HALF_WAIT, doublings, 1) + backoffDelayMs(HALF_WAIT, doublings, random());
      doublings += 1;
      return waitMs;
    },
    returned() {
      const nowMs = clock.monotonic();
      if (mayLookAgain(nowMs)) return begin(nowMs);
      doublings = 0;
      return Math.floor(random() * FIRST_TRY_MAX_MS);
    },
  };
}

/** Classifies an error of a socket, of `fetch` or of MQTT. An MQTT broker refuses with a number as `code`; sockets fail with a name. */
export function endOfError(error: unknown): LinkEnd {
  for (let each = error; each instanceof Error; each = each.cause) {
    if (!('code' in each)) continue;
    if (typeof each.code === 'number') return 'refused';
    if (each.code === 'ECONNREFUSED') return 'absent';
  }
  return 'broken';
}

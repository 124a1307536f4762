/**
 * How long a client waits before it connects again: at once after a link that stood, once a second while the other side's machine is
 * there without its program, and ever longer else. It reads no clock but the given one and sets no timer.
 */
import { backoffDelayMs, type BackoffLimits } from './backoff.js';
import type { Clock } from './clock.js';

/** The first try comes within this time, so that a fleet does not come in the same instant. */
export const FIRST_TRY_MAX_MS = 500;
/** A program that is started anew is looked for this often, a little sooner at random, for so long. */
const ABSENT_TRY_MS = 1_000;
const ABSENT_FOR_MS = 10_000;
/** The longest wait. */
const WAIT_MAX_MS = 60_000;
/** A link that stood shorter is no success: two clones of a gateway would cut each other off for ever. */
const STOOD_MS = 10_000;
/** Unless a link stood, nobody is looked for once a second again before this time has passed. */
const ABSENT_AGAIN_MS = 20_000;
/** Doubled for each wait; half of a wait is fixed and half is random. */
const HALF_WAIT: BackoffLimits = { baseMs: 1_000, maxMs: WAIT_MAX_MS / 2 };

/**
 * How a try or a link ended. `absent`: the machine answers that nothing listens there. `closed`: the other side ended it. `refused`: it
 * wants none (credentials, permission). `broken`: it could not be made, or nothing came through any more.
 */
export type LinkEnd = 'absent' | 'closed' | 'refused' | 'broken';

export interface ReconnectLadder {
  /** The link stands. */
  opened(): void;
  /** A try or a link ended. @returns milliseconds until the next try */
  lost(end: LinkEnd): number;
  /** The network is back. @returns milliseconds until the next try, instead of what `lost` said */
  returned(): number;
}

/** @param random a number in [0, 1), drawn for each wait */
export function createReconnectLadder(deps: { clock: Pick<Clock, 'monotonic'>; random(): number }): ReconnectLadder {
  const { clock, random } = deps;
  let openedMs: number | null = null;
  let doublings = 0;
  /** Since when an absent program is looked for once a second; -Infinity: nothing has ended yet. */
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
      // A machine that was silent and answers again may have been started anew, and its program comes next.
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

/** What an error of a socket, of `fetch` or of MQTT says: an MQTT broker refuses with a number as code, sockets fail with a name. */
export function endOfError(error: unknown): LinkEnd {
  for (let each = error; each instanceof Error; each = each.cause) {
    if (!('code' in each)) continue;
    if (typeof each.code === 'number') return 'refused';
    if (each.code === 'ECONNREFUSED') return 'absent';
  }
  return 'broken';
}

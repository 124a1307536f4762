/**
 * Lets in at a pace those connections of an address that have not proved who they are. What comes faster is held, and nothing of it is
 * read: that costs next to nothing, while who is refused at once comes back thousands of times a second.
 */
import { type AddressShares, createAddressShares } from './address-shares.js';
import type { Clock } from './clock.js';

export interface PaceLimits {
  /** How many connections of an address may come at once, and so many a second for as long as one likes. */
  burst: number;
  perSecond: number;
  /** How many may be held at once, shared by address. */
  heldMax: number;
  /** How long one is held. */
  heldMs: number;
}

/**
 * A crowd of gateways or operators behind one address needs no more, as each gives its turn back once it has shown who it is. So many at
 * once take the thread for a few milliseconds, which nobody else notices.
 */
export const PACE_LIMITS: PaceLimits = { burst: 40, perSecond: 100, heldMax: 2_000, heldMs: 10_000 };

/** How a connection goes on. One of the two is called, once; neither when it has left before. */
interface Arrival {
  /** @param proved to be called when it has proved who it is: it then does not count for its address. Idempotent */
  admit(proved: () => void): void;
  /** It was held too long, or another one needed its place. */
  refuse(): void;
}

export interface ConnectionPace {
  /**
   * Admits the connection at once, or when the turn of its address comes: of those that are held the newest first, as nobody may wait any
   * more for an old one.
   * @param key `addressShareKey`; null: an address that stands for many, such as a proxy's, which is held to no pace
   * @returns to be called when the connection is gone. Idempotent
   */
  enter(key: string | null, arrival: Arrival): () => void;
  /** Refuses all that are held. */
  close(): void;
}

/** How often is looked whether a turn has come. */
const LOOK_MS = 20;
/** Above this number, addresses that have all their turns again are forgotten. */
const ADDRESSES_KEPT = 1_000;

interface Held {
  key: string;
  arrival: Arrival;
  /** Monotonic milliseconds. */
  sinceMs: number;
}

/** The turns of addresses: so many at once, and so many a second. */
function createTurns({ limits, clock }: { limits: PaceLimits; clock: Clock }) {
  const turnMs = 1_000 / limits.perSecond;
  /** By address, when it has all its turns again: monotonic milliseconds. */
  const fullAt = new Map<string, number>();

  const forgetFull = (now: number) => {
    for (const [key, at] of fullAt) if (at <= now) fullAt.delete(key);
  };
  return {
    /** @returns false: the address has no turn left */
    use(key: string): boolean {
      const now = clock.monotonic();
      if (fullAt.size >= ADDRESSES_KEPT && !fullAt.has(key)) forgetFull(now);
      const after = Math.max(fullAt.get(key) ?? now, now) + turnMs;
      if (after > now + limits.burst * turnMs) return false;
      fullAt.set(key, after);
      return true;
    },
    giveBack: (key: string) => void fullAt.set(key, (fullAt.get(key) ?? clock.monotonic()) - turnMs),
  };
}

export function createConnectionPace({ limits, clock }: { limits: PaceLimits; clock: Clock }): ConnectionPace {
  const turns = createTurns({ limits, clock });
  const places: AddressShares<Held> = createAddressShares({ placesMax: limits.heldMax });
  /** By address, the longest held first. */
  const heldOf = new Map<string, Held[]>();
  let isLooking = false;

  const admit = (key: string, arrival: Arrival) => {
    let isProved = false;
    arrival.admit(() => {
      if (isProved) return;
      isProved = true;
      turns.giveBack(key);
      admitHeld(key);
    });
  };

  const admitHeld = (key: string) => {
    for (;;) {
      const newest = heldOf.get(key)?.at(-1);
      if (newest === undefined || !turns.use(key)) return;
      leave(newest);
      admit(key, newest.arrival);
    }
  };

  const leave = (one: Held) => {
    places.leave(one);
    const held = heldOf.get(one.key) ?? [];
    const at = held.lastIndexOf(one);
    if (at >= 0) held.splice(at, 1);
    if (held.length === 0) heldOf.delete(one.key);
  };

  const refuse = (one: Held) => {
    leave(one);
    one.arrival.refuse();
  };

  const hold = (one: Held) => {
    const held = heldOf.get(one.key) ?? [];
    held.push(one);
    heldOf.set(one.key, held);
    const gone = places.enter(one, one.key);
    if (gone !== null) refuse(gone);
    if (!isLooking) look();
  };

  /** Goes on for as long as any is held. */
  const look = () => {
    isLooking = true;
    clock.setTimer(LOOK_MS, () => {
      const endedMs = clock.monotonic() - limits.heldMs;
      for (const [key, held] of heldOf) {
        for (const one of held.filter(({ sinceMs }) => sinceMs <= endedMs)) refuse(one);
        admitHeld(key);
      }
      isLooking = false;
      if (heldOf.size > 0) look();
    });
  };

  return {
    enter(key, arrival) {
      if (key === null) {
        arrival.admit(() => {});
        return () => {};
      }
      if (turns.use(key)) {
        admit(key, arrival);
        return () => {};
      }
      const one = { key, arrival, sinceMs: clock.monotonic() };
      hold(one);
      return () => leave(one);
    },
    close() {
      for (const one of [...heldOf.values()].flat()) refuse(one);
    },
  };
}

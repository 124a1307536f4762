/**
 * Limits how fast an address may open connections that have not authenticated yet. A connection that comes too fast is held, and nothing is
 * read from it. Holding a connection costs almost nothing, whereas a client that is refused at once comes back thousands of times a second.
 */
import { type AddressSeats, createAddressSeats } from './address-seats.js';
import type { Clock } from './clock.js';
import { createBuckets } from './flow/buckets.js';

export interface PaceLimits {
  /** How many connections of an address may come at once. */
  burst: number;
  /** How many connections of an address may come each second in the long run. */
  perSecond: number;
  /** How many connections may be held at once. The addresses share these places. */
  heldMax: number;
  /** How long a connection is held before it is refused. When many are to be refused, they go one after the other. */
  heldMs: number;
}

/**
 * These limits suffice for many gateways or operators behind one address, because each connection gives its turn back once it has
 * authenticated. A burst of this size occupies the thread for a few milliseconds only.
 */
export const PACE_LIMITS: PaceLimits = { burst: 40, perSecond: 100, heldMax: 2_000, heldMs: 10_000 };

/** The fate of a connection. At most one of the two is called, once; neither when the connection closes first. */
interface Arrival {
  /** @param proved call it when the connection has authenticated, so that it no longer counts for its address. Idempotent */
  admit(proved: () => void): void;
  /** Called when the connection was held too long, or lost its place to another one. */
  refuse(): void;
}

export interface ConnectionPace {
  /**
   * Admits the connection at once, or when its address has a turn again. The newest of the held connections is admitted
   * first, because the client of an old one may have given up.
   * @param key `addressNetwork`; null: an address that stands for many clients, such as a proxy's, and has no limit
   * @returns a function to call when the connection is closed. Idempotent
   */
  enter(key: string | null, arrival: Arrival): () => void;
  /** Refuses all held connections. */
  close(): void;
}

/** How often it is checked whether held connections can be admitted. */
const LOOK_MS = 20;
/**
 * How many connections that were held too long are refused in one look. A client that fills the places comes back at
 * once with each that is refused: all together they would be accepted, and their ends handled, in the same turn in
 * which others wait.
 */
const REFUSED_PER_LOOK = 10;
/** So many addresses are known; those that came least are forgotten first. */
const ADDRESSES_MAX = 10_000;

interface Held {
  key: string;
  arrival: Arrival;
  /** Monotonic milliseconds. */
  sinceMs: number;
}

/** The held connections, in a bounded number of places that their addresses share. */
function createHeldConnections({ placesMax }: { placesMax: number }) {
  const places: AddressSeats<Held> = createAddressSeats({ placesMax });
  /** The held connections of each address, the longest held first. */
  const heldOf = new Map<string, Held[]>();
  return {
    get isEmpty() {
      return heldOf.size === 0;
    },
    keys: () => [...heldOf.keys()],
    all: () => [...heldOf.values()].flat(),
    /** @returns connections that have been held since then or longer, at most so many */
    heldSince(sinceMs: number, most: number): Held[] {
      const found: Held[] = [];
      for (const ones of heldOf.values()) {
        for (const one of ones) {
          if (found.length >= most) return found;
          if (one.sinceMs > sinceMs) break;
          found.push(one);
        }
      }
      return found;
    },
    newestOf: (key: string) => heldOf.get(key)?.at(-1),
    /** @returns the connection that loses its place, because too many are held; null: none */
    add(one: Held): Held | null {
      const held = heldOf.get(one.key) ?? [];
      held.push(one);
      heldOf.set(one.key, held);
      return places.enter(one, one.key);
    },
    /** Idempotent. */
    remove(one: Held): void {
      places.leave(one);
      const held = heldOf.get(one.key) ?? [];
      const at = held.lastIndexOf(one);
      if (at >= 0) held.splice(at, 1);
      if (held.length === 0) heldOf.delete(one.key);
    },
  };
}

export function createConnectionPace({ limits, clock }: { limits: PaceLimits; clock: Clock }): ConnectionPace {
  const turns = createBuckets({
    clock,
    size: limits.burst,
    refill: { eachMs: 1_000 / limits.perSecond },
    keysMax: ADDRESSES_MAX,
  });
  const held = createHeldConnections({ placesMax: limits.heldMax });
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
      const newest = held.newestOf(key);
      if (newest === undefined || turns.spend(key) > 0) return;
      held.remove(newest);
      admit(key, newest.arrival);
    }
  };

  const refuse = (one: Held) => {
    held.remove(one);
    one.arrival.refuse();
  };

  /** Keeps checking for as long as any connection is held. */
  const look = () => {
    isLooking = true;
    clock.setTimer(LOOK_MS, () => {
      held.heldSince(clock.monotonic() - limits.heldMs, REFUSED_PER_LOOK).forEach(refuse);
      held.keys().forEach(admitHeld);
      isLooking = false;
      if (!held.isEmpty) look();
    });
  };

  return {
    enter(key, arrival) {
      if (key === null) {
        arrival.admit(() => {});
        return () => {};
      }
      if (turns.spend(key) === 0) {
        admit(key, arrival);
        return () => {};
      }
      const one = { key, arrival, sinceMs: clock.monotonic() };
      const gone = held.add(one);
      if (gone !== null) refuse(gone);
      if (!isLooking) look();
      return () => held.remove(one);
    },
    close: () => held.all().forEach(refuse),
  };
}

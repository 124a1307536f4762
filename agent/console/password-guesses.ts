/**
 * Limits guesses of the device's password. Each check costs the processor, and guesses are many: so one check runs at a time, with a pause
 * behind it, and each address has a pace of its own. Nobody is locked out: of those who wait, addresses come first from which somebody has signed
 * in before, and then those that tried least, so that a stranger, even one with many addresses, does not keep away who knows the password.
 */
import { addressShareKey } from '../../shared/address-shares.js';
import { type Clock, sleep } from '../../shared/clock.js';

/** So many tries an address has at once, and one more in each of these times. The right password gives them back. */
const TRIES_AT_ONCE = 5;
const TRY_MS = 12_000;
/** Addresses whose tries are remembered. Those that tried least are forgotten first. */
const ADDRESSES_MAX = 512;
/** Addresses from which somebody has signed in, the last ones. */
const PROVEN_MAX = 32;
const WAITING_MAX = 16;
/** Behind each check, so that pushes of cameras hardly notice guesses: two a second at most. */
const PAUSE_MS = 500;

/** `retryAfterS`: whole seconds after which the address may try again. */
export type GuessResult = { is: 'right' } | { is: 'wrong' } | { is: 'too many'; retryAfterS: number };

export interface PasswordGuesses {
  /** @param check whether the password is the right one */
  attempt(address: string, check: () => Promise<boolean>): Promise<GuessResult>;
}

interface Waiter {
  share: string;
  start(): void;
  refuse(): void;
}

export function createPasswordGuesses({ clock }: { clock: Clock }): PasswordGuesses {
  const tries = createTries(clock);
  const proven = new Set<string>();
  const waiting: Waiter[] = [];
  let isBusy = false;

  const rankOf = ({ share }: Waiter): number => (proven.has(share) ? 0 : tries.of(share));

  function nextIn(): Waiter | undefined {
    const first = Math.min(...waiting.map(rankOf));
    const at = waiting.findIndex((each) => rankOf(each) === first);
    return at === -1 ? undefined : waiting.splice(at, 1)[0];
  }

  /** Refuses the one who came last of those who would come last. */
  function makeRoom(): void {
    const last = Math.max(...waiting.map(rankOf));
    const at = waiting.findLastIndex((each) => rankOf(each) === last);
    waiting.splice(at, 1)[0]?.refuse();
  }

  /** Resolves with false when others need the room. */
  function turn(share: string): Promise<boolean> {
    if (!isBusy) {
      isBusy = true;
      return Promise.resolve(true);
    }
    return new Promise((resolve) => {
      waiting.push({ share, start: () => resolve(true), refuse: () => resolve(false) });
      if (waiting.length > WAITING_MAX) makeRoom();
    });
  }

  async function endTurn(beganMs: number): Promise<void> {
    await sleep(clock, Math.max(PAUSE_MS, clock.monotonic() - beganMs));
    const next = nextIn();
    if (next === undefined) isBusy = false;
    else next.start();
  }

  function prove(share: string): void {
    tries.forget(share);
    proven.delete(share);
    proven.add(share);
    const [oldest] = proven;
    if (proven.size > PROVEN_MAX && oldest !== undefined) proven.delete(oldest);
  }

  return {
    async attempt(address, check) {
      const share = addressShareKey(address);
      const retryAfterS = tries.take(share);
      if (retryAfterS !== null) return { is: 'too many', retryAfterS };
      if (!(await turn(share))) return { is: 'too many', retryAfterS: (WAITING_MAX * PAUSE_MS) / 1_000 };
      const beganMs = clock.monotonic();
      try {
        if (!(await check())) return { is: 'wrong' };
        prove(share);
        return { is: 'right' };
      } finally {
        void endTurn(beganMs);
      }
    },
  };
}

/** The tries of addresses, each of which is forgiven after a while. */
function createTries(clock: Clock) {
  /** When the last of an address's tries is forgiven, on the monotonic clock. */
  const forgivenAt = new Map<string, number>();
  const left = (share: string) => Math.max(0, (forgivenAt.get(share) ?? 0) - clock.monotonic());

  function bound(): void {
    const leastFirst = [...forgivenAt.keys()].toSorted((one, other) => left(one) - left(other));
    for (const share of leastFirst) {
      if (forgivenAt.size > ADDRESSES_MAX || left(share) === 0) forgivenAt.delete(share);
    }
  }

  return {
    of: (share: string): number => Math.ceil(left(share) / TRY_MS),
    /** Counts a try. Returns null, or in how many seconds the address may have another. */
    take(share: string): number | null {
      const over = left(share) + TRY_MS - TRIES_AT_ONCE * TRY_MS;
      if (over > 0) return Math.ceil(over / 1_000);
      forgivenAt.set(share, clock.monotonic() + left(share) + TRY_MS);
      if (forgivenAt.size > ADDRESSES_MAX) bound();
      return null;
    },
    forget: (share: string): void => void forgivenAt.delete(share),
  };
}

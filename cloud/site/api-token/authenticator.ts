import type { Clock } from '../../../shared/clock.js';
import { type Authenticate, type Caller, isExpired } from '../../kernel/auth/entry.js';
import { type CloudStore, includesOneOf } from '../../kernel/store/entry.js';
import { CALLER_TABLES, findCallerByTokenHash } from './caller-queries.js';

/** A longer text is no token of this service and is not hashed. */
const TOKEN_CHARS_MAX = 512;

/** How many callers are remembered. A write to one of the tables they were read from forgets all of them. */
const REMEMBERED_MAX = 10_000;
/** For how long callers are remembered where other processes may change them: what these tell may arrive late. */
const REMEMBERED_BESIDE_OTHERS_MS = 10_000;

/** The limit on unknown tokens, by network address. */
export interface Guesses {
  /** @throws ApiError when there were too many: the token is not looked up */
  check(address: string): void;
  /** Notes a token that nobody has. */
  count(address: string): void;
}

export function createAuthenticator(deps: {
  store: Pick<CloudStore, 'reader' | 'onWritten' | 'onForeignChange' | 'peers'>;
  hashToken: (token: string) => string;
  guesses: Guesses;
  clock: Pick<Clock, 'now' | 'monotonic'>;
  /** Called for each request of a caller. */
  noteUse: (caller: Caller) => void;
}): Authenticate {
  const { store, hashToken, guesses, clock, noteUse } = deps;
  /** By the token itself, so that a request hashes nothing. */
  let remembered = new Map<string, Caller>();
  let rememberedSince = clock.monotonic();
  const rememberedMs = store.peers === null ? Number.POSITIVE_INFINITY : REMEMBERED_BESIDE_OTHERS_MS;
  /** Tokens that were somebody's when they were looked up last, the one of longest ago first. */
  const proven = new Set<string>();
  const forget = () => {
    remembered = new Map();
    rememberedSince = clock.monotonic();
  };
  store.onWritten(CALLER_TABLES, forget);
  store.onForeignChange(({ written }) => {
    if (includesOneOf(written, CALLER_TABLES)) forget();
  });

  const noteProven = (token: string) => {
    proven.delete(token);
    proven.add(token);
    const [oldest] = proven;
    if (proven.size > REMEMBERED_MAX && oldest !== undefined) proven.delete(oldest);
  };
  const isValid = (caller: Caller) => !isExpired(caller, clock.now());
  const lookUp = async (token: string, address: string) => {
    if (!proven.has(token)) guesses.check(address);
    // An answer that was asked for before a change must not be remembered after it.
    const known = remembered;
    const caller = await findCallerByTokenHash(store.reader, hashToken(token));
    // An unknown token is looked up each time: it may be created later, and guesses would fill the memory.
    if (caller === null || !isValid(caller)) {
      proven.delete(token);
      guesses.count(address);
      return null;
    }
    noteProven(token);
    if (known.size < REMEMBERED_MAX) known.set(token, caller);
    noteUse(caller);
    return caller;
  };

  return (token, address) => {
    if (token.length === 0 || token.length > TOKEN_CHARS_MAX) return null;
    if (clock.monotonic() - rememberedSince > rememberedMs) forget();
    const caller = remembered.get(token);
    // The end that is remembered may have moved since: another process notes uses, too.
    if (caller === undefined || !isValid(caller)) return lookUp(token, address);
    noteUse(caller);
    return caller;
  };
}

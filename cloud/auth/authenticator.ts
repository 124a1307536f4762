import type { Clock } from '../../shared/clock.js';
import type { CloudStore } from '../store/cloud-store.js';
import { findCallerByTokenHash } from './auth-queries.js';
import { type Caller, isExpired } from './caller.js';

/** A longer text is no token of this service and is not hashed. */
const TOKEN_CHARS_MAX = 512;

/** How many callers are remembered. A write to one of the tables they were read from forgets all of them. */
const REMEMBERED_MAX = 10_000;
/** The tables that callers are read from, and those whose deletions also delete rows of these. */
const RESTS_ON = [
  'user_tokens',
  'api_tokens',
  'api_token_lots',
  'account_users',
  'account_user_lots',
  'accounts',
] as const;

/**
 * Finds the caller of a bearer token. null: the token is unknown, has expired, was revoked, or is an API token of an account without a Super Admin.
 * A change by this process counts at once, a change by another process (`apply` beside a running cloud) within about a second.
 */
export type Authenticate = (token: string) => Caller | null | Promise<Caller | null>;

export function createAuthenticator(deps: {
  store: Pick<CloudStore, 'reader' | 'onWritten' | 'onForeignChange'>;
  hashToken: (token: string) => string;
  clock: Pick<Clock, 'now'>;
}): Authenticate {
  const { store, hashToken, clock } = deps;
  /** By the token itself, so that a request hashes nothing. */
  let remembered = new Map<string, Caller>();
  const forget = () => {
    remembered = new Map();
  };
  store.onWritten(RESTS_ON, forget);
  store.onForeignChange(forget);

  const valid = (caller: Caller | null) => (caller === null || isExpired(caller, clock.now()) ? null : caller);
  const lookUp = async (token: string) => {
    // An answer that was asked for before a change must not be remembered after it.
    const known = remembered;
    const caller = await findCallerByTokenHash(store.reader, hashToken(token));
    // An unknown token is looked up each time: it may be created later, and guesses would fill the memory.
    if (caller !== null && known.size < REMEMBERED_MAX) known.set(token, caller);
    return valid(caller);
  };

  return (token) => {
    if (token.length === 0 || token.length > TOKEN_CHARS_MAX) return null;
    const caller = remembered.get(token);
    return caller === undefined ? lookUp(token) : valid(caller);
  };
}

/** Returns the token of an `Authorization: Bearer` header; null for any other header. */
export function bearerToken(header: string | undefined): string | null {
  const match = /^Bearer +(\S+) *$/i.exec(header ?? '');
  return match?.[1] ?? null;
}

import type { CloudStore } from '../store/cloud-store.js';
import { findCallerByTokenHash } from '../store/queries/auth.js';
import type { Caller } from './caller.js';

/** A longer text cannot be a token of ours and is not worth a hash. */
const TOKEN_CHARS_MAX = 512;

/** Callers are remembered while nothing they rest on is written. */
const REMEMBERED_MAX = 10_000;
/** What a caller is read from, and what takes such rows along when it is deleted. */
const RESTS_ON = ['user_tokens', 'api_tokens', 'account_users', 'account_user_lots', 'accounts', 'lots'] as const;

/**
 * The caller a bearer token stands for, or null: unknown, revoked, or an API token of an account without a Super Admin. What this
 * process changes counts at once, what another one does (`apply` beside a running cloud) within about a second.
 */
export type Authenticate = (token: string) => Promise<Caller | null>;

export function createAuthenticator(deps: {
  store: Pick<CloudStore, 'reader' | 'onWritten' | 'onForeignChange'>;
  hashToken: (token: string) => string;
}): Authenticate {
  const { store, hashToken } = deps;
  let remembered = new Map<string, Caller>();
  const forget = () => {
    remembered = new Map();
  };
  store.onWritten(RESTS_ON, forget);
  store.onForeignChange(forget);

  return async (token) => {
    if (token.length === 0 || token.length > TOKEN_CHARS_MAX) return null;
    const hash = hashToken(token);
    // Of before a change: an answer that was asked for before it is not remembered after it.
    const known = remembered;
    const caller = known.get(hash) ?? (await findCallerByTokenHash(store.reader, hash));
    // Those who are nobody are asked for again: they are not worth the room, and a token may come to be.
    if (caller !== null && known.size < REMEMBERED_MAX) known.set(hash, caller);
    return caller;
  };
}

/** The token of an `Authorization: Bearer` header, or null for any other header. */
export function bearerToken(header: string | undefined): string | null {
  const match = /^Bearer +(\S+) *$/i.exec(header ?? '');
  return match?.[1] ?? null;
}

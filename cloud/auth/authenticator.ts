import type { CloudStore } from '../store/cloud-store.js';
import { findCallerByTokenHash } from '../store/queries/auth.js';
import type { Caller } from './caller.js';

/** A longer text cannot be a token of ours and is not worth a hash. */
const TOKEN_CHARS_MAX = 512;

/** The caller a bearer token stands for, or null: unknown, revoked, or an API token of an account without a Super Admin. */
export type Authenticate = (token: string) => Promise<Caller | null>;

export function createAuthenticator(deps: { store: CloudStore; hashToken: (token: string) => string }): Authenticate {
  return async (token) => {
    if (token.length === 0 || token.length > TOKEN_CHARS_MAX) return null;
    return findCallerByTokenHash(deps.store.reader, deps.hashToken(token));
  };
}

/** The token of an `Authorization: Bearer` header, or null for any other header. */
export function bearerToken(header: string | undefined): string | null {
  const match = /^Bearer +(\S+) *$/i.exec(header ?? '');
  return match?.[1] ?? null;
}

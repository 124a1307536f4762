/** The user or API token that a request or a realtime connection acts for. */
import type { MoneyRight } from './money-rights.js';
import type { Role } from './role-schemas.js';

/** A user token comes from a login, an API token from a Super Admin. The database holds only the hashes of both. */
export interface TokenReference {
  kind: 'user' | 'api';
  token_id: number;
}

/**
 * An API token acts as its account's first Super Admin: `user_id` is that user's, `role` is the token's own, and `lot_ids` are that user's
 * as far as the token has no own lots.
 */
export interface Caller extends TokenReference {
  /** The hash of the token that was sent: a token can get another value and keep its id. */
  token_hash: string;
  account_id: number;
  user_id: number;
  role: Role;
  money: MoneyRight;
  /** The lots assigned to the user; of an API token with own lots those of them that are its own, too. */
  lot_ids: ReadonlySet<number>;
  /** Whether an API token is limited to lots. One that is not hears of the whole account. */
  has_own_lots: boolean;
  /** Wall milliseconds at which the token ends; null: never. */
  expires_at: number | null;
}

export function isExpired({ expires_at }: Pick<Caller, 'expires_at'>, now: number): boolean {
  return expires_at !== null && expires_at <= now;
}

/** A text that is the same for the same token, for maps and sets. */
export const tokenKey = (token: TokenReference): string => `${token.kind}:${token.token_id}`;

/** Whether the caller hears of every lot of its account, assigned or not: an API token does that has no lots of its own. */
export const hearsWholeAccount = ({ kind, has_own_lots }: Pick<Caller, 'kind' | 'has_own_lots'>): boolean =>
  kind === 'api' && !has_own_lots;

/** Whether the caller may see a thing of its account that is in this lot; null: a thing that is in no lot. */
export function seesLot(caller: Caller, lotId: number | null): boolean {
  return lotId === null || caller.lot_ids.has(lotId);
}

/**
 * Finds the caller of a bearer token. null: the token is unknown, has expired, was revoked, or is an API token of an account without a Super Admin.
 * A change by this process counts at once, a change by another process (`apply` beside a running cloud) within about a second,
 * and within ten when nobody could tell of it.
 * @param address of who sends it. A token that was good before is looked up whatever others from the same address have sent
 */
export type Authenticate = (token: string, address: string) => Caller | null | Promise<Caller | null>;

/** Returns the token of an `Authorization: Bearer` header; null for any other header. */
export function bearerToken(header: string | undefined): string | null {
  const match = /^Bearer +(\S+) *$/i.exec(header ?? '');
  return match?.[1] ?? null;
}

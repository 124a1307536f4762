/** The user or API token that a request or a realtime connection acts for. */
import type { Role } from './role-schemas.js';

/** A user token comes from a login, an API token from a Super Admin. The database holds only the hashes of both. */
export interface TokenReference {
  kind: 'user' | 'api';
  token_id: number;
}

/** An API token acts as its account's first Super Admin: `user_id`, `role` and `lot_ids` are that user's. */
export interface Caller extends TokenReference {
  /** The hash of the token that was sent: a token can get another value and keep its id. */
  token_hash: string;
  account_id: number;
  user_id: number;
  role: Role;
  /** The lots assigned to the user. */
  lot_ids: ReadonlySet<number>;
}

/** A text that is the same for the same token, for maps and sets. */
export const tokenKey = (token: TokenReference): string => `${token.kind}:${token.token_id}`;

/** Whether the caller may see a thing of its account that is in this lot; null: a thing that is in no lot. */
export function seesLot(caller: Caller, lotId: number | null): boolean {
  return lotId === null || caller.lot_ids.has(lotId);
}

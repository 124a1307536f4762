/** Who a request or a realtime connection speaks for. */

/** account_user_role_id -> name, as in the REST contract. */
const ROLE_NAMES = { 1: 'Super Admin', 2: 'Admin', 3: 'Attendant' } as const;

export type Role = (typeof ROLE_NAMES)[keyof typeof ROLE_NAMES];

export const ALL_ROLES: readonly Role[] = Object.values(ROLE_NAMES);

/** A user token comes from a login, an API token from a Super Admin; both are known to the database by their hash only. */
export interface TokenReference {
  kind: 'user' | 'api';
  token_id: number;
}

/** An API token acts as its account's first Super Admin: `user_id`, `role` and `lot_ids` are that user's. */
export interface Caller extends TokenReference {
  /** Of the token that was shown: a token can get another value and keep its id. */
  token_hash: string;
  account_id: number;
  user_id: number;
  role: Role;
  /** The lots assigned to the user. */
  lot_ids: ReadonlySet<number>;
}

/** The name of a role id. Throws for a number that is none: the database holds 1, 2 and 3 only. */
export function roleName(id: number): Role {
  const name = (ROLE_NAMES as Record<number, Role>)[id];
  if (name === undefined) throw new Error(`account_user_role_id ${id} is no role: expected 1, 2 or 3`);
  return name;
}

/** One text per token, for maps and sets. */
export const tokenKey = (token: TokenReference): string => `${token.kind}:${token.token_id}`;

/** Whether the caller may see a thing of its account that is in this lot (null: in none). */
export function seesLot(caller: Caller, lotId: number | null): boolean {
  return lotId === null || caller.lot_ids.has(lotId);
}

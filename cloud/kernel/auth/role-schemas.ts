/** The roles of account users: names and ids (REST contract, "Roles", "Allowed values"). */

/** account_user_role_id -> name. */
const ROLE_NAMES = { 1: 'Super Admin', 2: 'Admin', 3: 'Attendant' } as const;

export type Role = (typeof ROLE_NAMES)[keyof typeof ROLE_NAMES];

export const ALL_ROLES: readonly Role[] = Object.values(ROLE_NAMES);

/** The name of a role id. @throws Error for a number that is no role: the database holds 1, 2 and 3 only */
export function roleName(id: number): Role {
  const name = (ROLE_NAMES as Record<number, Role>)[id];
  if (name === undefined) throw new Error(`account_user_role_id ${id} is no role: expected 1, 2 or 3`);
  return name;
}

/** Name -> account_user_role_id. */
export const ROLE_IDS = { 'Super Admin': 1, Admin: 2, Attendant: 3 } as const;

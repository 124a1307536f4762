/** Accounts' users, as a site file declares them. */
import type { Db } from '../cloud-store.js';
import type { Row } from '../schema.js';

/** account_user_roles of the REST contract. */
export const ROLE_IDS = { 'Super Admin': 1, Admin: 2, Attendant: 3 } as const;

/** @param email as typed: compared in lower case */
export async function findUserByEmail(db: Db, email: string): Promise<Row<'account_users'> | undefined> {
  return db.selectFrom('account_users').selectAll().where('email', '=', email.toLowerCase()).executeTakeFirst();
}

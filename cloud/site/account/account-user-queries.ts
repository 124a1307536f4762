/** Reads and writes the users of accounts. */
import { type Db, deleteRow, type NewRow, type Row } from '../../kernel/store/entry.js';
import { ROLE_IDS } from '../../kernel/auth/entry.js';

export interface AccountUserDetails {
  id: number;
  user: Row<'account_users'>;
  account: Row<'accounts'>;
  /** The lots assigned to the user. */
  lots: Pick<Row<'lots'>, 'id' | 'name' | 'address'>[];
}

export async function accountUsersByIds(db: Db, ids: readonly number[]): Promise<AccountUserDetails[]> {
  const users = await db.selectFrom('account_users').selectAll().where('id', 'in', ids).execute();
  if (users.length === 0) return [];
  const accountIds = [...new Set(users.map(({ account_id }) => account_id))];
  const accounts = await db.selectFrom('accounts').selectAll().where('id', 'in', accountIds).execute();
  const assigned = await db
    .selectFrom('account_user_lots as assigned')
    .innerJoin('lots', 'lots.id', 'assigned.lot_id')
    .select(['assigned.account_user_id', 'lots.id', 'lots.name', 'lots.address'])
    .where('assigned.account_user_id', 'in', ids)
    .orderBy('lots.id')
    .execute();
  return users.flatMap((user) => {
    const account = accounts.find(({ id }) => id === user.account_id);
    if (account === undefined) return [];
    const lots = assigned
      .filter(({ account_user_id }) => account_user_id === user.id)
      .map(({ id, name, address }) => ({ id, name, address }));
    return [{ id: user.id, user, account, lots }];
  });
}

/** Finds a user of the account by its id. */
export async function findAccountUser(
  db: Db,
  wanted: { id: number; account_id: number },
): Promise<AccountUserDetails | null> {
  const [details] = await accountUsersByIds(db, [wanted.id]);
  return details !== undefined && details.user.account_id === wanted.account_id ? details : null;
}

export async function insertAccountUser(
  tx: Db,
  user: { row: NewRow<'account_users'>; lotIds: readonly number[] },
): Promise<number> {
  const { id } = await tx.insertInto('account_users').values(user.row).returning('id').executeTakeFirstOrThrow();
  await replaceLotsOfUser(tx, { id, lotIds: user.lotIds });
  return id;
}

export async function updateAccountUser(
  tx: Db,
  user: { id: number; set: Partial<NewRow<'account_users'>>; lotIds?: readonly number[] | undefined },
): Promise<void> {
  await tx.updateTable('account_users').set(user.set).where('id', '=', user.id).execute();
  if (user.lotIds !== undefined) await replaceLotsOfUser(tx, { id: user.id, lotIds: user.lotIds });
}

/** Assignments to deleted lots are kept, because they give access to the lots' history. */
async function replaceLotsOfUser(tx: Db, user: { id: number; lotIds: readonly number[] }): Promise<void> {
  await tx
    .deleteFrom('account_user_lots')
    .where('account_user_id', '=', user.id)
    .where('lot_id', 'in', tx.selectFrom('lots').select('id'))
    .execute();
  const rows = [...new Set(user.lotIds)].map((lot_id) => ({ account_user_id: user.id, lot_id }));
  if (rows.length > 0) await tx.insertInto('account_user_lots').values(rows).execute();
}

/** Deletes the user with its tokens and its assignments to lots. @returns whether the user still existed */
export async function deleteAccountUser(tx: Db, user: { id: number }): Promise<boolean> {
  await keepLotsOfWebhooks(tx, user);
  return deleteRow(tx, 'account_users', user.id);
}

/** The webhooks that a user made keep the lots of which they heard when the user is deleted, and hear of no others. */
export async function keepLotsOfWebhooks(tx: Db, { id }: { id: number }): Promise<void> {
  const made = tx.selectFrom('webhooks').select('id').where('account_user_id', '=', id);
  const assigned = tx.selectFrom('account_user_lots').select('lot_id').where('account_user_id', '=', id);
  await tx.deleteFrom('webhook_lots').where('webhook_id', 'in', made).where('lot_id', 'not in', assigned).execute();
  await tx
    .insertInto('webhook_lots')
    .columns(['webhook_id', 'lot_id'])
    .expression(({ selectFrom }) =>
      selectFrom('webhooks')
        .innerJoin('account_user_lots', 'account_user_lots.account_user_id', 'webhooks.account_user_id')
        .select(['webhooks.id', 'account_user_lots.lot_id'])
        .where('webhooks.account_user_id', '=', id)
        .where('webhooks.has_own_lots', '=', 0),
    )
    .execute();
  await tx
    .updateTable('webhooks')
    .set({ has_own_lots: 1, account_user_id: null })
    .where('account_user_id', '=', id)
    .execute();
}

/** Lists the Super Admins of an account. */
export async function superAdminIdsOf(db: Db, account_id: number): Promise<number[]> {
  const rows = await db
    .selectFrom('account_users')
    .select('id')
    .where('account_id', '=', account_id)
    .where('account_user_role_id', '=', ROLE_IDS['Super Admin'])
    .execute();
  return rows.map(({ id }) => id);
}

/** Finds those of the lots that belong to the account. */
export async function lotsOfAccount(
  db: Db,
  wanted: { account_id: number; ids: readonly number[] },
): Promise<Set<number>> {
  if (wanted.ids.length === 0) return new Set();
  const rows = await db
    .selectFrom('lots')
    .select('id')
    .where('account_id', '=', wanted.account_id)
    .where('id', 'in', wanted.ids)
    .execute();
  return new Set(rows.map(({ id }) => id));
}

/** Deletes the tokens of a user, except the one to keep. @returns their ids */
export async function deleteTokensOfUser(
  tx: Db,
  user: { id: number; keptTokenId?: number | undefined },
): Promise<number[]> {
  const tokens = await tx
    .deleteFrom('user_tokens')
    .where('account_user_id', '=', user.id)
    .where('id', '<>', user.keptTokenId ?? 0)
    .returning('id')
    .execute();
  return tokens.map(({ id }) => id);
}

/** @param wanted.email as typed; it is compared in lower case */
export async function findUserByEmail(
  db: Db,
  wanted: { account_id: number; email: string },
): Promise<Row<'account_users'> | undefined> {
  return db
    .selectFrom('account_users')
    .selectAll()
    .where('account_id', '=', wanted.account_id)
    .where('email', '=', wanted.email.toLowerCase())
    .executeTakeFirst();
}

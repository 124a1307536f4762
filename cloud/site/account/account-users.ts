/** Changes the users of an account: hashes passwords, checks lots and revokes tokens. */
import type { Clock } from '../../../shared/clock.js';
import { ApiError, NOT_FOUND, VALIDATION } from '../../../shared/errors.js';
import { createSemaphore } from '../../../shared/flow/semaphore.js';
import { type Caller, ROLE_IDS, type TokenReference, type TokenRevocations } from '../../kernel/auth/entry.js';
import { type Change, type CloudStore, type Db, LOCKS, type NewRow, type Tx } from '../../kernel/store/entry.js';
import type { FailureLimiter } from '../../kernel/limit/entry.js';
import { noteAudit } from '../../kernel/audit/entry.js';
import type { Passwords } from '../../kernel/secrets/entry.js';
import { sentence } from '../../rest/entry.js';
import {
  type AccountUserDetails,
  deleteAccountUser,
  deleteTokensOfUser,
  findAccountUser,
  findUserByEmail,
  insertAccountUser,
  lotsOfAccount,
  superAdminIdsOf,
  updateAccountUser,
} from './account-user-queries.js';
import { findAccountSettings } from './account-queries.js';
import { ownPasswordFault } from './account-user-resource.js';

interface UserKeys {
  /** Lower case. */
  email: string;
  name: string;
  password: string;
  role_id: number;
  phone: string;
  lot_ids: number[];
}
type Changed<T> = { [Key in keyof T]?: T[Key] | undefined };
type ChangedKeys = UserKeys & { old_password: string };
type ProfileKeys = Pick<ChangedKeys, 'name' | 'phone' | 'password' | 'old_password'>;

/** @param change makes the change: that of the request */
export interface AccountUsers {
  /** @throws ApiError VALIDATION on `email` when another user of the account has it, and on `lot_ids.N` for a lot that is not the account's */
  create(change: Change, caller: Caller, user: UserKeys): Promise<AccountUserDetails>;
  /**
   * A new password revokes the user's tokens, except the caller's own.
   * @throws as `create` does; ApiError VALIDATION on `role_id` when the account would be left without a Super Admin; as `changeProfile` does
   * for the caller's own password
   */
  update(
    change: Change,
    caller: Caller,
    asked: { found: AccountUserDetails; body: Changed<ChangedKeys> },
  ): Promise<AccountUserDetails>;
  /** @throws ApiError VALIDATION on `id` when the account would be left without a Super Admin */
  remove(change: Change, found: AccountUserDetails): Promise<AccountUserDetails>;
  /** @throws ApiError VALIDATION on `old_password` when a new password comes without the present one */
  changeProfile(change: Change, caller: Caller, body: Changed<ProfileKeys>): Promise<AccountUserDetails>;
}

const PASSWORD_CHANGES = { permits: 2, waitingMax: 100, waitingPerOwnerMax: 50 };

interface PasswordDeps {
  store: Pick<CloudStore, 'reader'>;
  passwords: Passwords;
  /** Counts wrong old passwords per user, so that the password cannot be guessed with a stolen token. */
  failures: FailureLimiter;
}

/** Creates the steps of a change of password: verifying the present one and hashing the new one. */
function createPasswordChanges({ store, passwords, failures }: PasswordDeps) {
  // Each account waits for its own changes only. Sign-ins have a queue of their own.
  const turns = createSemaphore({ name: 'password changes', ...PASSWORD_CHANGES });
  const hash = ({ account_id }: Caller, password: string) =>
    turns.run(String(account_id), () => passwords.hash(password));
  const hashed = async (caller: Caller, password: string | undefined) =>
    password === undefined ? {} : { password_hash: await hash(caller, password) };

  /** @throws ApiError VALIDATION on `password` for one that is the mail address, or guessed from whose it is */
  async function refuseOwn(
    { account_id }: Caller,
    { password, email, name }: { password: string | undefined; email: string; name: string },
  ): Promise<void> {
    if (password === undefined) return;
    const account = await findAccountSettings(store.reader, account_id);
    const reason = ownPasswordFault(password, { email, names: [name, account?.name ?? ''] });
    if (reason !== undefined) throw wrongField('password', sentence(reason));
  }

  /** @throws ApiError VALIDATION on `old_password` unless it is the caller's present password */
  async function requireOldPassword(
    caller: Caller,
    { password, old_password, name: newName }: Changed<Pick<ChangedKeys, 'password' | 'old_password' | 'name'>>,
  ): Promise<void> {
    const { user_id: id, account_id } = caller;
    const { user } = exists(await findAccountUser(store.reader, { id, account_id }));
    await refuseOwn(caller, { password, email: user.email, name: newName ?? user.name });
    await failures.attempt({ owner: String(id) }, async () => {
      const verify = (present: string) =>
        turns.run(String(account_id), () => passwords.verify(present, user.password_hash));
      const fits = old_password !== undefined && (await verify(old_password));
      if (!fits) throw wrongField('old_password', 'The present password is missing or wrong');
    });
  }

  return { hash, hashed, refuseOwn, requireOldPassword };
}

export function createAccountUsers(deps: PasswordDeps & { revocations: TokenRevocations; clock: Clock }): AccountUsers {
  const { revocations, clock } = deps;
  const { hash, hashed, refuseOwn, requireOldPassword } = createPasswordChanges(deps);

  /** Writes the change and revokes the tokens that it invalidates. */
  async function save(
    change: Change,
    caller: Caller,
    user: { id: number; set: Partial<NewRow<'account_users'>>; lotIds?: readonly number[] | undefined },
  ): Promise<AccountUserDetails> {
    const { id, set, lotIds } = user;
    const details = await change(async (tx) => {
      await requireFreeEmail(tx, { id, account_id: caller.account_id, email: set.email });
      await requireLots(tx, { account_id: caller.account_id, lotIds });
      const role_id = set.account_user_role_id;
      if (role_id !== undefined && role_id !== ROLE_IDS['Super Admin'])
        await requireOtherSuperAdmin(tx, { id, account_id: caller.account_id, field: 'role_id' });
      noteAudit(tx, { target: `account user ${id}` });
      await updateAccountUser(tx, { id, lotIds, set: { ...set, updated_at: clock.now() } });
      const ended = set.password_hash === undefined ? [] : await deleteTokensOfUser(tx, { id, ...kept(caller, id) });
      tx.onCommit(async () => {
        revocations.revoke(userTokens(ended));
        if (lotIds !== undefined) await revocations.lotsChanged();
      });
      return findAccountUser(tx, { id, account_id: caller.account_id });
    });
    return exists(details);
  }

  return {
    async create(change, caller, { role_id, password, lot_ids, ...user }) {
      await refuseOwn(caller, { password, email: user.email, name: user.name });
      const row = newUserRow(caller, user, { role_id, now: clock.now(), password_hash: await hash(caller, password) });
      return exists(
        await change(async (tx) => {
          await requireFreeEmail(tx, { id: null, account_id: caller.account_id, email: user.email });
          await requireLots(tx, { account_id: caller.account_id, lotIds: lot_ids });
          const id = await insertAccountUser(tx, { row, lotIds: lot_ids });
          noteAudit(tx, { made: id });
          return findAccountUser(tx, { id, account_id: caller.account_id });
        }),
      );
    },

    async update(change, caller, { found, body }) {
      const { role_id, password, old_password, lot_ids, ...rest } = body;
      const { email = found.user.email, name = found.user.name } = rest;
      await refuseOwn(caller, { password, email, name });
      if (password !== undefined && found.id === caller.user_id)
        await requireOldPassword(caller, { password, old_password, name });
      const set = { ...given({ ...rest, account_user_role_id: role_id }), ...(await hashed(caller, password)) };
      return save(change, caller, { id: found.id, set, lotIds: lot_ids });
    },

    async remove(change, found) {
      await change(async (tx) => {
        await requireOtherSuperAdmin(tx, { id: found.id, account_id: found.user.account_id, field: 'id' });
        const ended = await deleteTokensOfUser(tx, { id: found.id });
        if (!(await deleteAccountUser(tx, found))) throw new ApiError(NOT_FOUND);
        tx.onCommit(() => revocations.revoke(userTokens(ended)));
      });
      return found;
    },

    async changeProfile(change, caller, { password, old_password, ...rest }) {
      if (password !== undefined) await requireOldPassword(caller, { password, old_password, name: rest.name });
      return save(change, caller, { id: caller.user_id, set: { ...given(rest), ...(await hashed(caller, password)) } });
    },
  };
}

/** Returns the row of a new user. `now`: wall milliseconds. */
const newUserRow = (
  { account_id }: Caller,
  user: Omit<UserKeys, 'role_id' | 'password' | 'lot_ids'>,
  { role_id, password_hash, now }: { role_id: number; password_hash: string; now: number },
): NewRow<'account_users'> => ({
  ...user,
  account_id,
  account_user_role_id: role_id,
  language_tag: 'en',
  country_code: '',
  // The address counts as confirmed, because a Super Admin has entered it.
  email_confirmed: 1,
  password_hash,
  created_at: now,
  updated_at: now,
});

/** Users who change their own account keep the token of the request. */
const kept = (caller: Caller, id: number): { keptTokenId?: number } =>
  caller.kind === 'user' && caller.user_id === id ? { keptTokenId: caller.token_id } : {};

const userTokens = (ids: readonly number[]): TokenReference[] => ids.map((token_id) => ({ kind: 'user', token_id }));

/** Returns the keys that have a value. */
function given<T extends object>(keys: T): { [Key in keyof T]?: Exclude<T[Key], undefined> } {
  return Object.fromEntries(Object.entries(keys).filter(([, value]) => value !== undefined)) as never;
}

/** @throws ApiError NOT_FOUND for a user that was deleted in the meantime */
function exists(details: AccountUserDetails | null): AccountUserDetails {
  if (details === null) throw new ApiError(NOT_FOUND);
  return details;
}

const wrongField = (field: string, message: string) => new ApiError(VALIDATION, { field, message });

/** Only checks the caller's account. Otherwise whoever may create users could find out who has a user in another account. */
async function requireFreeEmail(
  tx: Tx,
  user: { id: number | null; account_id: number; email: string | undefined },
): Promise<void> {
  const { account_id, email } = user;
  if (email === undefined) return;
  await tx.lock(LOCKS.userEmails);
  const holder = await findUserByEmail(tx, { account_id, email });
  if (holder !== undefined && holder.id !== user.id) throw wrongField('email', 'This email has a user already');
}

/** Ensures that the account keeps a Super Admin, even if two of them remove or demote each other at the same time. */
async function requireOtherSuperAdmin(
  tx: Tx,
  user: { id: number; account_id: number; field: 'id' | 'role_id' },
): Promise<void> {
  await tx.lock(LOCKS.superAdmins);
  const superAdmins = await superAdminIdsOf(tx, user.account_id);
  if (superAdmins.length === 1 && superAdmins[0] === user.id) {
    throw wrongField(user.field, 'The last Super Admin of an account stays one: give another user this role first');
  }
}

async function requireLots(
  tx: Db,
  wanted: { account_id: number; lotIds: readonly number[] | undefined },
): Promise<void> {
  const { account_id, lotIds = [] } = wanted;
  const errors = await unknownLots(tx, { account_id, lotIds });
  if (errors.length > 0) throw ApiError.validation(errors);
}

const isId = (value: unknown): value is number => Number.isSafeInteger(value);

/**
 * Reports ids that are not lots of the account. Lots that the caller cannot see are allowed.
 * @param wanted.lotIds of the body, unchecked: values that are not ids are reported by the schema
 */
export async function unknownLots(
  db: Db,
  wanted: { account_id: number; lotIds: readonly unknown[] },
): Promise<{ field: string; message: string }[]> {
  const { account_id, lotIds } = wanted;
  const known = await lotsOfAccount(db, { account_id, ids: lotIds.filter(isId) });
  const isUnknown = (id: unknown) => isId(id) && !known.has(id);
  return lotIds.flatMap((id, at) => (isUnknown(id) ? [{ field: `lot_ids.${at}`, message: 'Unknown lot' }] : []));
}

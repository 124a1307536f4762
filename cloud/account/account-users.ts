/** What may be done with the users of an account: passwords hashed, lots checked, tokens ended. */
import type { Clock } from '../../shared/clock.js';
import { ApiError } from '../../shared/errors.js';
import type { Caller, TokenReference } from '../auth/caller.js';
import type { FailureLimiter } from '../auth/failure-limiter.js';
import type { TokenRevocations } from '../auth/token-revocations.js';
import type { Passwords } from '../secrets/passwords.js';
import { noteAudit } from '../store/audit-scope.js';
import type { CloudStore, Db } from '../store/cloud-store.js';
import {
  type AccountUserDetails,
  deleteAccountUser,
  deleteTokensOfUser,
  findAccountUser,
  insertAccountUser,
  lotIdsOfAccount,
  updateAccountUser,
} from '../store/queries/account-users.js';
import { findUserByEmail } from '../store/queries/accounts.js';
import type { NewRow } from '../store/schema.js';

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
type ProfileKeys = Pick<UserKeys, 'name' | 'phone' | 'password'> & { old_password: string };

export interface AccountUsers {
  /** Throws code 23 on `email` when it is taken, on `lot_ids.N` for a lot that is not the account's. */
  create(caller: Caller, user: UserKeys): Promise<AccountUserDetails>;
  /** As `create`. A new password ends the user's tokens, but for the caller's own. */
  change(caller: Caller, change: { found: AccountUserDetails; body: Changed<UserKeys> }): Promise<AccountUserDetails>;
  remove(found: AccountUserDetails): Promise<AccountUserDetails>;
  /** Throws code 23 on `old_password` when a new password comes without the present one. */
  changeProfile(caller: Caller, body: Changed<ProfileKeys>): Promise<AccountUserDetails>;
}

/** @param deps.failures counts wrong old passwords per user: who has somebody's token cannot try out the password */
export function createAccountUsers(deps: {
  store: CloudStore;
  passwords: Passwords;
  failures: FailureLimiter;
  revocations: TokenRevocations;
  clock: Clock;
}): AccountUsers {
  const { store, passwords, failures, revocations, clock } = deps;

  const hashed = async (password: string | undefined) =>
    password === undefined ? {} : { password_hash: await passwords.hash(password) };

  /** Writes the change and ends what it ends. */
  async function save(
    caller: Caller,
    change: { id: number; set: Partial<NewRow<'account_users'>>; lotIds?: readonly number[] | undefined },
  ): Promise<AccountUserDetails> {
    const { id, set, lotIds } = change;
    const { details, ended } = await store.change(async (tx) => {
      await requireFreeEmail(tx, { id, email: set.email });
      await requireLots(tx, { account_id: caller.account_id, lotIds });
      noteAudit({ target: `account user ${id}` });
      await updateAccountUser(tx, { id, lotIds, set: { ...set, updated_at: clock.now() } });
      const endedIds = set.password_hash === undefined ? [] : await deleteTokensOfUser(tx, { id, ...kept(caller, id) });
      return { details: await findAccountUser(tx, { id, account_id: caller.account_id }), ended: endedIds };
    });
    revocations.revoked(userTokens(ended));
    if (lotIds !== undefined) await revocations.lotsChanged();
    return exists(details);
  }

  return {
    async create(caller, { role_id, password, lot_ids, ...user }) {
      const now = clock.now();
      const row = {
        ...user,
        account_id: caller.account_id,
        account_user_role_id: role_id,
        language_tag: 'en',
        country_code: '',
        // A Super Admin vouches for the address.
        email_confirmed: 1,
        password_hash: await passwords.hash(password),
        created_at: now,
        updated_at: now,
      };
      return exists(
        await store.change(async (tx) => {
          await requireFreeEmail(tx, { id: null, email: user.email });
          await requireLots(tx, { account_id: caller.account_id, lotIds: lot_ids });
          const id = await insertAccountUser(tx, { row, lotIds: lot_ids });
          noteAudit({ made: id });
          return findAccountUser(tx, { id, account_id: caller.account_id });
        }),
      );
    },

    async change(caller, { found, body }) {
      const { role_id, password, lot_ids, ...rest } = body;
      const role = role_id === undefined ? {} : { account_user_role_id: role_id };
      const set = { ...given(rest), ...role, ...(await hashed(password)) };
      return save(caller, { id: found.id, set, lotIds: lot_ids });
    },

    async remove(found) {
      const ended = await store.change(async (tx) => {
        const tokens = await deleteTokensOfUser(tx, { id: found.id });
        await deleteAccountUser(tx, found.id);
        return tokens;
      });
      revocations.revoked(userTokens(ended));
      return found;
    },

    async changeProfile(caller, { password, old_password, ...rest }) {
      const id = caller.user_id;
      if (password !== undefined) {
        const { user } = exists(await findAccountUser(store.reader, { id, account_id: caller.account_id }));
        await failures.attempt(String(id), async () => {
          const fits = old_password !== undefined && (await passwords.verify(old_password, user.password_hash));
          if (!fits) throw wrongField('old_password', 'The present password is missing or wrong');
        });
      }
      return save(caller, { id, set: { ...given(rest), ...(await hashed(password)) } });
    },
  };
}

/** Whose own token the change came with keeps it. */
const kept = (caller: Caller, id: number): { keptTokenId?: number } =>
  caller.kind === 'user' && caller.user_id === id ? { keptTokenId: caller.token_id } : {};

const userTokens = (ids: readonly number[]): TokenReference[] => ids.map((token_id) => ({ kind: 'user', token_id }));

/** The keys that have a value. */
function given<T extends object>(keys: T): { [Key in keyof T]?: Exclude<T[Key], undefined> } {
  return Object.fromEntries(Object.entries(keys).filter(([, value]) => value !== undefined)) as never;
}

/** Who was removed in the meantime is not found. */
function exists(details: AccountUserDetails | null): AccountUserDetails {
  if (details === null) throw new ApiError(6);
  return details;
}

const wrongField = (field: string, message: string) => new ApiError(23, { field, message });

async function requireFreeEmail(tx: Db, user: { id: number | null; email: string | undefined }): Promise<void> {
  if (user.email === undefined) return;
  const holder = await findUserByEmail(tx, user.email);
  if (holder !== undefined && holder.id !== user.id) throw wrongField('email', 'This email has a user already');
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
 * One error for each id that is no lot of the account. Any of its lots may be given, also one that the caller does not see.
 * @param wanted.lotIds as they came: what is no id is left to the schema
 */
export async function unknownLots(
  db: Db,
  wanted: { account_id: number; lotIds: readonly unknown[] },
): Promise<{ field: string; message: string }[]> {
  const { account_id, lotIds } = wanted;
  const known = await lotIdsOfAccount(db, { account_id, ids: lotIds.filter(isId) });
  const isUnknown = (id: unknown) => isId(id) && !known.has(id);
  return lotIds.flatMap((id, at) => (isUnknown(id) ? [{ field: `lot_ids.${at}`, message: 'Unknown lot' }] : []));
}

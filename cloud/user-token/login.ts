import { randomBytes } from 'node:crypto';
import type { Clock } from '../../shared/clock.js';
import { ApiError, EMAIL_NOT_CONFIRMED, WRONG_CREDENTIALS } from '../../shared/errors.js';
import { createLimitedQueue } from '../../shared/limited-queue.js';
import { noteAudit } from '../audit/audit-scope.js';
import type { CloudStore } from '../store/cloud-store.js';
import type { TokenRevocations } from '../auth/token-revocations.js';
import { findLoginUsers, type LoginUser, replaceUserTokens } from './user-token-queries.js';

/** The only type of user token (REST contract, "Allowed values"). */
const LOGIN_TOKEN_TYPE = 'user';
const TOKEN_BYTES = 32;
/** This is a few more than the passwords that are checked at the same time, so that no password check waits for the database. */
const LOGINS_AT_ONCE = 6;
const LOGINS_WAITING_MAX = 100;

/** The answer to a login (REST contract, "UserToken"). */
export interface UserToken {
  id: number;
  type: string;
  token: string;
  name: string;
  email: string;
  account_id: number;
  account_role_id: number;
  account_user_role_id: number;
  account_user_id: number;
}

export type Login = (credentials: { email: string; password: string }) => Promise<UserToken>;

/**
 * Creates a user token and deletes the user's other tokens of the same type.
 * @throws QueueFullError when too many logins wait; ApiError WRONG_CREDENTIALS, which never says whether the email or the password is wrong;
 * ApiError EMAIL_NOT_CONFIRMED, only when the password is right
 */
export function createLogin(deps: {
  store: CloudStore;
  /** `verify` without a hash takes as long as with a wrong password. */
  passwords: { verify(password: string, passwordHash: string | null): Promise<boolean> };
  hashToken: (token: string) => string;
  revocations: TokenRevocations;
  clock: Clock;
}): Login {
  const { store, passwords, hashToken, revocations, clock } = deps;
  // The queue comes before the first query, so that waiting logins cost nothing until their turn.
  const turns = createLimitedQueue({ name: 'logins', concurrency: LOGINS_AT_ONCE, waitingMax: LOGINS_WAITING_MAX });

  /** A person may have users in several accounts: the password says which one is meant, the oldest when several have it. */
  async function userWithPassword(users: readonly LoginUser[], password: string): Promise<LoginUser | null> {
    if (users.length === 0) await passwords.verify(password, null);
    for (const user of users) if (await passwords.verify(password, user.password_hash)) return user;
    return null;
  }

  async function logIn({ email, password }: Parameters<Login>[0]): Promise<UserToken> {
    const users = await findLoginUsers(store.reader, email.trim().toLowerCase());
    const user = await userWithPassword(users, password);
    if (user === null) throw new ApiError(WRONG_CREDENTIALS);
    if (user.email_confirmed === 0) throw new ApiError(EMAIL_NOT_CONFIRMED);

    const token = randomBytes(TOKEN_BYTES).toString('base64url');
    const id = await store.change(async (tx) => {
      const { account_id, id: actor_id } = user;
      noteAudit({ account_id, actor_type: 'user', actor_id, target: `account user ${actor_id}` });
      const made = await replaceUserTokens(tx, {
        account_user_id: user.id,
        type: LOGIN_TOKEN_TYPE,
        token_hash: hashToken(token),
        created_at: clock.now(),
      });
      tx.onCommit(() => revocations.revoke(made.deletedIds.map((token_id) => ({ kind: 'user', token_id }))));
      return made.id;
    });
    return {
      id,
      type: LOGIN_TOKEN_TYPE,
      token,
      name: user.name,
      email: user.email,
      account_id: user.account_id,
      account_role_id: user.account_role_id,
      account_user_role_id: user.account_user_role_id,
      account_user_id: user.id,
    };
  }

  return (credentials) => turns.run(() => logIn(credentials));
}

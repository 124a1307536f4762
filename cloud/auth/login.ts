import { randomBytes } from 'node:crypto';
import type { Clock } from '../../shared/clock.js';
import { ApiError } from '../../shared/errors.js';
import { createLimitedQueue } from '../../shared/limited-queue.js';
import { noteAudit } from '../store/audit-scope.js';
import type { CloudStore } from '../store/cloud-store.js';
import { findLoginUser, replaceUserTokens } from '../store/queries/auth.js';
import type { TokenRevocations } from './token-revocations.js';

/** The only type of user token (REST contract, "Allowed values"). */
const LOGIN_TOKEN_TYPE = 'user';
const TOKEN_BYTES = 32;
/** A few more than passwords are checked at once, so that none waits for the database. */
const LOGINS_AT_ONCE = 6;
const LOGINS_WAITING_MAX = 100;

/** The specification's user token. */
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
 * Gives a new user token and deletes the user's other tokens of the same type.
 * Throws QueueFullError when too many wait, code 8 (wrong email or password, never which) and code 9 (email not confirmed; told only to who has the password).
 */
export function createLogin(deps: {
  store: CloudStore;
  /** Takes as long for no hash as for a wrong password. */
  passwords: { verify(password: string, passwordHash: string | null): Promise<boolean> };
  hashToken: (token: string) => string;
  revocations: TokenRevocations;
  clock: Clock;
}): Login {
  const { store, passwords, hashToken, revocations, clock } = deps;
  // From its first question to the database on: of a crowd that comes at once all but a few cost nothing until their turn.
  const turns = createLimitedQueue({ name: 'logins', concurrency: LOGINS_AT_ONCE, waitingMax: LOGINS_WAITING_MAX });

  async function logIn({ email, password }: Parameters<Login>[0]): Promise<UserToken> {
    const user = await findLoginUser(store.reader, email.trim().toLowerCase());
    const matches = await passwords.verify(password, user?.password_hash ?? null);
    if (user === undefined || !matches) throw new ApiError(8);
    if (user.email_confirmed === 0) throw new ApiError(9);

    const token = randomBytes(TOKEN_BYTES).toString('base64url');
    const { id, deletedIds } = await store.change((tx) => {
      const { account_id, id: actor_id } = user;
      noteAudit({ account_id, actor_type: 'user', actor_id, target: `account user ${actor_id}` });
      return replaceUserTokens(tx, {
        account_user_id: user.id,
        type: LOGIN_TOKEN_TYPE,
        token_hash: hashToken(token),
        created_at: clock.now(),
      });
    });
    revocations.revoked(deletedIds.map((token_id) => ({ kind: 'user', token_id })));
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

import { randomBytes } from 'node:crypto';
import { addressShareKey } from '../../shared/address-shares.js';
import type { Clock } from '../../shared/clock.js';
import { ApiError, EMAIL_NOT_CONFIRMED, WRONG_CREDENTIALS } from '../../shared/errors.js';
import { createFairQueue } from '../../shared/fair-queue.js';
import { noteAudit } from '../audit/audit-scope.js';
import { createGrowingDelay, type GrowingDelay } from '../limit/growing-delay.js';
import type { SharedCounts } from '../limit/shared-counts.js';
import type { CloudStore } from '../store/cloud-store.js';
import type { TokenRevocations } from '../auth/token-revocations.js';
import type { FailedSignIns } from './failed-sign-ins.js';
import { hasSignedInFrom, noteSignInNetwork } from './sign-in-network-queries.js';
import { findLoginUsers, type LoginUser, replaceUserTokens } from './user-token-queries.js';

/** The only type of user token (REST contract, "Allowed values"). */
const LOGIN_TOKEN_TYPE = 'user';
const TOKEN_BYTES = 32;
/** Together a few more than the passwords that are checked at the same time, so that no password check waits for the database. */
const STRANGERS_AT_ONCE = 4;
const KNOWN_AT_ONCE = 2;
const WAITING_MAX = 200;
/** Of one network: an office, all of which begins its day. */
const WAITING_PER_NETWORK_MAX = 100;
/** How long a network is known after a user signed in from it. */
export const KNOWN_NETWORK_MS = 90 * 86_400_000;

/** How many times as many failures as an address has in a minute pass before strangers have to wait for a mail. */
const FREE_MINUTES = 4;

/** Slows strangers down who guess at one mail from many addresses. @param options.failuresPerMin RATE_LOGIN_FAILURES_PER_MIN; 0: it never does */
export function createSignInDelay(options: {
  failuresPerMin: number;
  clock: Clock;
  shared?: SharedCounts | undefined;
}): GrowingDelay {
  const { failuresPerMin, ...others } = options;
  return createGrowingDelay({ freeFailures: FREE_MINUTES * failuresPerMin, countsAsFailure: isWrong, ...others });
}

/** Whether a sign-in failed because email or password is wrong. */
export const isWrong = (error: unknown): boolean =>
  error instanceof ApiError && error.errors.some(({ code }) => code === WRONG_CREDENTIALS);

interface Attempt {
  /** Lower case, as stored. */
  email: string;
  password: string;
  address: string;
  network: string;
}

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

/** @param attempt.address the client's network address */
export type Login = (attempt: { email: string; password: string; address: string }) => Promise<UserToken>;

/**
 * Creates a user token and deletes the user's other tokens of the same type.
 * Networks take turns, so that one that floods the sign-in keeps out only itself. A user signs in from a known network beside all strangers
 * and whatever they guess at the same mail.
 * @throws QueueFullError when too many logins wait; RetryLaterError when strangers failed too often with this mail; ApiError WRONG_CREDENTIALS, which never says whether the email or the password is wrong;
 * ApiError EMAIL_NOT_CONFIRMED, only when the password is right
 */
export function createLogin(deps: {
  store: CloudStore;
  /** `verify` without a hash takes as long as with a wrong password. */
  passwords: { verify(password: string, passwordHash: string | null): Promise<boolean> };
  hashToken: (token: string) => string;
  revocations: TokenRevocations;
  failedSignIns: FailedSignIns;
  /** Of strangers, by mail. */
  delay: GrowingDelay;
  /** USER_TOKEN_DAYS: how long a token lives after its last use. */
  lifeMs: number;
  clock: Clock;
}): Login {
  const { store, passwords, hashToken, revocations, failedSignIns, delay, lifeMs, clock } = deps;
  const lane = (concurrency: number) =>
    createFairQueue({
      name: 'logins',
      concurrency,
      waitingMax: WAITING_MAX,
      waitingPerShareMax: WAITING_PER_NETWORK_MAX,
    });
  const strangers = lane(STRANGERS_AT_ONCE);
  const known = lane(KNOWN_AT_ONCE);

  /** A person may have users in several accounts: the password says which one is meant, the oldest when several have it. */
  async function userWithPassword(users: readonly LoginUser[], password: string): Promise<LoginUser | null> {
    if (users.length === 0) await passwords.verify(password, null);
    for (const user of users) if (await passwords.verify(password, user.password_hash)) return user;
    return null;
  }

  async function logIn({ email, password, address, network }: Attempt): Promise<UserToken> {
    const users = await findLoginUsers(store.reader, email);
    const user = await userWithPassword(users, password);
    if (user === null || user.email_confirmed === 0) {
      failedSignIns.note({ users: user === null ? users : [user], address });
      throw new ApiError(user === null ? WRONG_CREDENTIALS : EMAIL_NOT_CONFIRMED);
    }

    const token = randomBytes(TOKEN_BYTES).toString('base64url');
    const id = await store.change(async (tx) => {
      const { account_id, id: actor_id } = user;
      noteAudit({ account_id, actor_type: 'user', actor_id, target: `account user ${actor_id}` });
      const made = await replaceUserTokens(tx, {
        account_user_id: user.id,
        type: LOGIN_TOKEN_TYPE,
        token_hash: hashToken(token),
        created_at: clock.now(),
        expires_at: clock.now() + lifeMs,
      });
      await noteSignInNetwork(tx, { account_user_id: user.id, network, used_at: clock.now() });
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

  return async ({ password, address, ...given }) => {
    const email = given.email.trim().toLowerCase();
    const network = addressShareKey(address);
    const attempt = () => logIn({ email, password, address, network });
    const since = clock.now() - KNOWN_NETWORK_MS;
    if (await hasSignedInFrom(store.reader, { email, network, since })) return known.run(network, attempt);
    return delay.attempt(email, () => strangers.run(network, attempt));
  };
}

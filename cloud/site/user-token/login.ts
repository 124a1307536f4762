import { randomBytes } from 'node:crypto';
import { addressNetwork } from '../../../shared/address-seats.js';
import type { Clock } from '../../../shared/clock.js';
import { ApiError, EMAIL_NOT_CONFIRMED, WRONG_CREDENTIALS } from '../../../shared/errors.js';
import { createSemaphore } from '../../../shared/flow/semaphore.js';
import type { Change, CloudStore } from '../../kernel/store/entry.js';
import { createGrowingDelay, type GrowingDelay, RetryLaterError, type SharedCounts } from '../../kernel/limit/entry.js';
import { noteAudit } from '../../kernel/audit/entry.js';
import type { TokenRevocations } from '../../kernel/auth/entry.js';
import type { FailedSignIns } from './failed-sign-ins.js';
import { findUsersSignedInFrom, noteSignInNetwork } from './sign-in-network-queries.js';
import { findLoginUsers, insertUserToken, type LoginUser } from './user-token-queries.js';

/** The only type of user token (REST contract, "Allowed values"). */
export const LOGIN_TOKEN_TYPE = 'user';
const TOKEN_BYTES = 32;
/** Together these are a few more than the password checks that run at once, so that no password check has to wait for the database. */
const STRANGERS_AT_ONCE = 4;
const KNOWN_AT_ONCE = 2;
const WAITING_MAX = 200;
/** The limit for one network: an office in which everybody signs in at the same time. */
const WAITING_PER_NETWORK_MAX = 100;
/** For how long a network is known after a user signed in from it. */
export const KNOWN_NETWORK_MS = 90 * 86_400_000;

/** Finds the users with a mail address (lower case) who have signed in from this network before. */
export type KnownUsers = (email: string, address: string) => Promise<ReadonlySet<number>>;

export function createKnownUsers({ store, clock }: { store: Pick<CloudStore, 'reader'>; clock: Clock }): KnownUsers {
  return (email, address) => {
    const since = clock.now() - KNOWN_NETWORK_MS;
    return findUsersSignedInFrom(store.reader, { email, network: addressNetwork(address), since });
  };
}

/**
 * How many password checks an attempt of a stranger takes at least, whether it succeeds or not. Otherwise the response time would reveal to a
 * user of one account whether somebody has a user with the same mail address in another account.
 */
const STRANGERS_CHECKS_MIN = 2;

/**
 * Strangers have to wait for a mail address after this many times as many failures as RATE_LOGIN_FAILURES_PER_MIN allows an address in a
 * minute.
 */
const FREE_MINUTES = 4;

/**
 * Slows down strangers who guess passwords for one mail address from many network addresses.
 * @param options.failuresPerMin RATE_LOGIN_FAILURES_PER_MIN; 0: no delay
 */
export function createSignInDelay(options: {
  failuresPerMin: number;
  clock: Clock;
  shared?: SharedCounts | undefined;
}): GrowingDelay {
  const { failuresPerMin, ...others } = options;
  return createGrowingDelay({ freeFailures: FREE_MINUTES * failuresPerMin, countsAsFailure: isWrong, ...others });
}

/** Whether a sign-in failed because the email or the password is wrong. */
export const isWrong = (error: unknown): boolean =>
  error instanceof ApiError && error.errors.some(({ code }) => code === WRONG_CREDENTIALS);

interface Attempt {
  /** Lower case, as stored. */
  email: string;
  password: string;
  address: string;
  network: string;
  /** The users with this mail address who have signed in from this network before. */
  knownIds: ReadonlySet<number>;
  device: string | null;
  change: Change;
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

interface TokenDeps {
  store: CloudStore;
  hashToken: (token: string) => string;
  revocations: TokenRevocations;
  /** USER_TOKEN_DAYS: how long a token lives after its last use. */
  lifeMs: number;
  clock: Clock;
}

interface Passwords {
  /** Without a hash, the check takes as long as for a wrong password. */
  verify(password: string, passwordHash: string | null): Promise<boolean>;
}

/**
 * @param attempt.address the client's network address
 * @param attempt.device the name of the device, beside which those of the user's other devices stay signed in; null: the sign-in is the only one
 * @param attempt.change makes the change that adds the token: that of the request
 */
export type Login = (attempt: {
  email: string;
  password: string;
  address: string;
  device: string | null;
  change: Change;
}) => Promise<UserToken>;

const lane = (permits: number) =>
  createSemaphore({
    name: 'logins',
    permits,
    waitingMax: WAITING_MAX,
    waitingPerOwnerMax: WAITING_PER_NETWORK_MAX,
  });

/**
 * Creates a user token and deletes the user's other tokens of the same type, unless it names its device. Networks take turns, so that a network that floods the sign-in
 * only shuts out itself.
 * A person may have users in several accounts. The password decides which of them is meant: the oldest if several have it. Users who have
 * signed in from this network before are checked first, in a queue of their own, which strangers cannot fill. All other users with the mail
 * address count as strangers.
 * @throws QueueFullError when too many logins wait
 * @throws RetryLaterError when strangers failed too often with this mail address
 * @throws ApiError WRONG_CREDENTIALS, which never reveals whether the email or the password is wrong
 * @throws ApiError EMAIL_NOT_CONFIRMED, only when the password is right
 */
export function createLogin(
  deps: TokenDeps & {
    passwords: Passwords;
    failedSignIns: FailedSignIns;
    /** Delays attempts of strangers, by mail address. */
    delay: GrowingDelay;
  },
): Login {
  const { store, passwords, failedSignIns, delay } = deps;
  const knownUsers = createKnownUsers(deps);
  const strangers = lane(STRANGERS_AT_ONCE);
  const known = lane(KNOWN_AT_ONCE);

  /** @returns null when the password belongs to no user who is known in this network */
  async function logInKnown(attempt: Attempt): Promise<UserToken | null> {
    const users = await findLoginUsers(store.reader, attempt.email);
    const knownHere = users.filter(({ id }) => attempt.knownIds.has(id));
    const user = await userWithPassword(passwords, { users: knownHere, password: attempt.password, checksMin: 0 });
    return user && logInAs(user, attempt);
  }

  async function logInStranger(attempt: Attempt): Promise<UserToken> {
    const { email, password, knownIds } = attempt;
    const users = await findLoginUsers(store.reader, email);
    const others = users.filter(({ id }) => !knownIds.has(id));
    const user = await userWithPassword(passwords, { users: others, password, checksMin: STRANGERS_CHECKS_MIN });
    if (user === null) throw refusal(attempt, users);
    return logInAs(user, attempt);
  }

  /**
   * Records a wrong password. If any user with this mail address is known in this network, only the known ones get the record: a record would
   * reveal the mail address and the network address to other accounts. If none is known, all of them get it.
   */
  function refusal({ knownIds, address }: Attempt, users: readonly LoginUser[]): ApiError {
    failedSignIns.note({ users: knownIds.size === 0 ? users : users.filter(({ id }) => knownIds.has(id)), address });
    return new ApiError(WRONG_CREDENTIALS);
  }

  async function logInAs(user: LoginUser, { address, ...attempt }: Attempt): Promise<UserToken> {
    if (user.email_confirmed === 0) {
      failedSignIns.note({ users: [user], address });
      throw new ApiError(EMAIL_NOT_CONFIRMED);
    }
    return issueToken(deps, { ...attempt, user });
  }

  return async ({ password, address, device, change, ...given }) => {
    const email = given.email.trim().toLowerCase();
    const network = addressNetwork(address);
    const knownIds = await knownUsers(email, address);
    const attempt: Attempt = { email, password, address, network, knownIds, device, change };
    const asStranger = () => delay.attempt(email, () => strangers.run(network, () => logInStranger(attempt)));
    if (knownIds.size === 0) return asStranger();
    const token = await known.run(network, () => logInKnown(attempt));
    if (token !== null) return token;
    try {
      return await asStranger();
    } catch (error) {
      // A known user does not have to wait because of strangers, so the wrong password is answered as such.
      if (error instanceof RetryLaterError) throw refusal(attempt, await findLoginUsers(store.reader, email));
      throw error;
    }
  };
}

/** Checks the password of each user until one fits. @returns that user; null: none. Makes at least `checksMin` checks */
async function userWithPassword(
  passwords: Passwords,
  of: { users: readonly LoginUser[]; password: string; checksMin: number },
): Promise<LoginUser | null> {
  let checks = 0;
  let found: LoginUser | null = null;
  for (const user of of.users) {
    checks += 1;
    if (!(await passwords.verify(of.password, user.password_hash))) continue;
    found = user;
    break;
  }
  for (; checks < of.checksMin; checks++) await passwords.verify(of.password, null);
  return found;
}

/** Signs the user in. @param to.network the user counts as known in it from now on */
async function issueToken(
  deps: TokenDeps,
  { change, user, network, device }: Pick<Attempt, 'change' | 'network' | 'device'> & { user: LoginUser },
): Promise<UserToken> {
  const { hashToken, revocations, lifeMs, clock } = deps;
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  const id = await change(async (tx) => {
    const { account_id, id: actor_id } = user;
    noteAudit(tx, { account_id, actor_type: 'user', actor_id, target: `account user ${actor_id}` });
    const made = await insertUserToken(tx, {
      account_user_id: user.id,
      type: LOGIN_TOKEN_TYPE,
      device,
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

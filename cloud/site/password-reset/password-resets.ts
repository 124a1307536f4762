/** Sends links by which a person sets a new password, and sets it. */
import type { Clock } from '../../../shared/clock.js';
import { ApiError, VALIDATION } from '../../../shared/errors.js';
import { createSemaphore } from '../../../shared/flow/semaphore.js';
import type { Language } from '../../../shared/languages.js';
import type { Logger } from '../../../shared/logger.js';
import { appendAudit, noteAudit } from '../../kernel/audit/entry.js';
import type { TokenRevocations } from '../../kernel/auth/entry.js';
import type { Passwords, Secrets } from '../../kernel/secrets/entry.js';
import { type Change, type CloudStore, LOCKS, type Tx } from '../../kernel/store/entry.js';
import { sentence } from '../../rest/entry.js';
import { deleteTokensOfUser } from '../account/account-user-queries.js';
import { ownPasswordFault } from '../account/account-user-resource.js';
import { queueMail } from '../mail/mail-queue-queries.js';
import { findLoginUsers, type LoginUser } from '../user-token/user-token-queries.js';
import { countResetMails, findResetUser, setPassword } from './reset-queries.js';
import { fingerprintOf, isProven, parseResetToken } from './reset-tokens.js';

const LIFE_MS = 3_600_000;
/** How many mails a user gets within `LIFE_MS`, whoever asks for them: nobody can fill the mailbox of somebody else. */
const MAILS_MAX = 3;
/** Whoever asks waits for nothing, so that as many may wait as the limits of the addresses let through. */
const LOOK_UPS = { name: 'password resets', permits: 1, waitingMax: 1_000 };
const HASHES = { name: 'new passwords', permits: 1, waitingMax: 50 };

interface Asked {
  /** Lower case, as stored. */
  email: string;
  /** In which the form was read. */
  language: Language | undefined;
  address: string;
}

type ResetUser = NonNullable<Awaited<ReturnType<typeof findResetUser>>>;

/** A link that works. */
interface ProvenLink {
  user: ResetUser;
  account_id: number;
  /** Whether it works still, for the user as found anew. */
  isStillProven(user: ResetUser | undefined): boolean;
}

export interface PasswordResets {
  /**
   * Sends each user with the mail address a link. The caller does not wait for it, so that neither the answer nor its time says who has an
   * account. Users whose address is not confirmed get none: it may be somebody else's.
   */
  request(asked: Asked): void;
  /** Finds whose link it is by its token. @throws ApiError VALIDATION on `token` for one that is none, has ended, or was used */
  find(token: string): Promise<ProvenLink>;
  /**
   * Sets the password and ends all sign-ins of the user.
   * @param change makes the change: that of the request
   * @throws ApiError VALIDATION on `token` for one that was used meanwhile, on `password` for one that is guessed from whose it is
   */
  reset(change: Change, link: ProvenLink, password: string): Promise<void>;
}

interface Deps {
  store: Pick<CloudStore, 'reader' | 'change'>;
  secrets: Pick<Secrets, 'derive'>;
  passwords: Pick<Passwords, 'hash'>;
  revocations: TokenRevocations;
  clock: Clock;
  logger: Logger;
}

export function createPasswordResets(deps: Deps): PasswordResets {
  const { store, passwords, revocations, clock, logger } = deps;
  const lookUps = createSemaphore(LOOK_UPS);
  const hashes = createSemaphore(HASHES);

  async function sendLinks(asked: Asked): Promise<void> {
    const users = await findLoginUsers(store.reader, asked.email);
    for (const user of users.filter(({ email_confirmed }) => email_confirmed === 1))
      await store.change((tx) => sendLink(tx, user, asked, clock.now()));
  }

  return {
    request(asked) {
      lookUps
        .run('', () => sendLinks(asked))
        .catch((error: unknown) => logger.error({ err: error }, 'the mail for a new password could not be queued'));
    },

    async find(token) {
      const link = await findLink(deps, token);
      if (link === null) throw endedLink();
      return link;
    },

    async reset(change, { user, isStillProven }, password) {
      const reason = ownPasswordFault(password, { email: user.email, names: [user.name, user.account_name] });
      if (reason !== undefined) throw new ApiError(VALIDATION, { field: 'password', message: sentence(reason) });
      const password_hash = await hashes.run('', () => passwords.hash(password));
      await change(async (tx) => {
        const { id, account_id } = user;
        noteAudit(tx, { account_id, actor_type: 'user', actor_id: id, target: `account user ${id}` });
        await tx.lock(LOCKS.userTokens(id));
        // Of two who use it at the same time one wins.
        if (!isStillProven(await findResetUser(tx, id))) throw endedLink();
        await setPassword(tx, { id, password_hash, now: clock.now() });
        const ended = await deleteTokensOfUser(tx, { id });
        tx.onCommit(() => revocations.revoke(ended.map((token_id) => ({ kind: 'user', token_id }))));
      });
    },
  };
}

const endedLink = () => new ApiError(VALIDATION, { field: 'token', message: 'The link was used or has ended' });

async function findLink({ store, secrets, clock }: Deps, token: string): Promise<ProvenLink | null> {
  const given = parseResetToken(token);
  if (given === null) return null;
  const { user_id, expires_at, proof } = given;
  const isStillProven = (user: ResetUser | undefined): boolean => {
    const fingerprint = fingerprintOf(user ?? { email: '', password_hash: '' });
    return isProven(secrets, { user_id, expires_at, fingerprint }, proof) && user !== undefined;
  };
  const user = await findResetUser(store.reader, user_id);
  if (!isStillProven(user) || user === undefined || clock.now() >= expires_at) return null;
  return { user, account_id: user.account_id, isStillProven };
}

async function sendLink(
  tx: Tx,
  { id: user_id, account_id, email }: LoginUser,
  { language, address }: Asked,
  now: number,
): Promise<void> {
  const user = await findResetUser(tx, user_id);
  const sent = await countResetMails(tx, { account_id, email, since: now - LIFE_MS });
  if (user === undefined || sent >= MAILS_MAX) return;
  const content = {
    account_name: user.shown_name,
    user_name: user.name,
    user_id,
    expires_at: now + LIFE_MS,
    fingerprint: fingerprintOf(user),
  };
  const locale = language ?? null;
  await queueMail(tx, { kind: 'reset', to: email, locale, content, account_id, lot_id: null }, now);
  await appendAudit(tx, [
    {
      account_id,
      actor_type: 'public',
      actor_id: null,
      action: 'auth.password_reset',
      target: `account user ${user_id}`,
      details: { address },
      created_at: now,
    },
  ]);
}

/** The database work of one turn of the mail dispatcher: it leases mails that are due. */
import { type ExpressionBuilder, sql } from 'kysely';
import type { Database, Db } from '../../kernel/store/entry.js';
import { leaseDeliveries } from '../../kernel/delivery/entry.js';
import { type MailFace, mailFacesOf, PLAIN_FACE } from './mail-face.js';
import type { Mail } from './mail-queue-queries.js';

/** A mail for which an attempt has to be made. */
export type DueMail = Pick<
  Mail,
  'id' | 'account_id' | 'kind' | 'receiver_email' | 'locale' | 'content' | 'attempts' | 'created_at'
> & { message_id: string; tries_began_at: number; face: MailFace };

export interface MailRates {
  /** How many mails of an account are tried within a minute, and how many to one address within an hour. */
  perAccountAndMin: number;
  perReceiverAndHour: number;
}

/**
 * Leases at most `limit` due mails for one attempt each, in turns of one mail of each account.
 * @param options.generateMessageId for mails that have none
 */
export async function leaseDueMails(
  tx: Db,
  options: { now: number; leaseEndsAt: number; limit: number; rates: MailRates; generateMessageId: () => string },
): Promise<DueMail[]> {
  const { now, generateMessageId } = options;
  const ids = await dueIds(tx, options);
  const set = { tried_at: now, updated_at: now };
  const leased: DueMail[] = [];
  const mails = await leaseDeliveries(tx, 'mails', { ...options, ids, set });
  const faces = await mailFacesOf(tx, [...new Set(mails.map(({ account_id }) => account_id))]);
  for (const mail of mails) {
    const message_id = mail.message_id ?? generateMessageId();
    leased.push({ ...mail, message_id, face: faces.get(mail.account_id) ?? PLAIN_FACE });
    if (mail.message_id === null) await tx.updateTable('mails').set({ message_id }).where('id', '=', mail.id).execute();
  }
  return leased;
}

/** Mails that are queued, due, and not leased. */
const dueMails = (db: Db, now: number) =>
  db
    .selectFrom('mails as due')
    .where('due.ended_at', 'is', null)
    .where('due.next_attempt_at', '<=', now)
    .where(({ or, eb }) => or([eb('due.lease_ends_at', 'is', null), eb('due.lease_ends_at', '<=', now)]));

/** A due mail that the rates of its account and its receiver allow. */
interface Candidate {
  id: number;
  account_id: number;
  receiver_email: string;
  next_attempt_at: number;
  /** How many were tried lately; null: not counted. */
  of_account: number | null;
  of_receiver: number | null;
}

/**
 * Lists the first due mails of the accounts, then their second ones, and so on. It runs at the end of every attempt, and therefore reads only
 * a few mails of each account, however many wait.
 */
async function dueIds(db: Db, asked: { now: number; limit: number; rates: MailRates }): Promise<number[]> {
  const { limit, rates } = asked;
  const firsts = await firstDueOfAccounts(db, asked);
  const turns: Candidate[][] = [firsts];
  // When there are as many accounts as places, each gets one.
  for (const first of firsts.length < limit ? firsts : []) {
    const further = await furtherDue(db, { ...asked, first });
    for (const [at, candidate] of further.entries()) (turns[at + 1] ??= []).push(candidate);
  }
  const candidates = turns.flatMap((turn) => turn.toSorted(byTime)).slice(0, limit);
  // Mails that are leased in the same turn count too.
  const [ofAccounts, ofReceivers] = [new Map<number, number>(), new Map<string, number>()];
  const allowed = candidates.filter(({ account_id, receiver_email, of_account, of_receiver }) => {
    const ofAccount = ofAccounts.get(account_id) ?? Number(of_account ?? 0);
    const ofReceiver = ofReceivers.get(receiver_email) ?? Number(of_receiver ?? 0);
    if (ofAccount >= rates.perAccountAndMin || ofReceiver >= rates.perReceiverAndHour) return false;
    ofAccounts.set(account_id, ofAccount + 1);
    ofReceivers.set(receiver_email, ofReceiver + 1);
    return true;
  });
  return allowed.map(({ id }) => id);
}

const byTime = (one: Candidate, other: Candidate): number =>
  one.next_attempt_at - other.next_attempt_at || one.id - other.id;

/** Finds the first due mail of each account that may send one, those first that wait the longest. */
function firstDueOfAccounts(
  db: Db,
  { now, limit, rates }: { now: number; limit: number; rates: MailRates },
): Promise<Candidate[]> {
  return db
    .with('of_accounts', (with_) =>
      with_
        .selectFrom('mails')
        .select(['account_id', ({ fn }) => fn.countAll<number>().as('tried')])
        .where('tried_at', '>', now - 60_000)
        .groupBy('account_id'),
    )
    .selectFrom('accounts')
    .leftJoin('of_accounts', 'of_accounts.account_id', 'accounts.id')
    .innerJoin('mails as first', (join) =>
      join.on(({ eb }) =>
        eb(
          'first.id',
          '=',
          allowedDue(db, { now, rates }).select('due.id').where(sql<boolean>`due.account_id = accounts.id`).limit(1),
        ),
      ),
    )
    .select(['first.id', 'first.account_id', 'first.receiver_email', 'first.next_attempt_at'])
    .select('of_accounts.tried as of_account')
    .select((eb) => triedOfReceiver(eb, 'first.receiver_email', now).as('of_receiver'))
    .where((eb) => eb(eb.fn.coalesce('of_accounts.tried', eb.val(0)), '<', rates.perAccountAndMin))
    .orderBy('first.next_attempt_at')
    .orderBy('first.id')
    .limit(limit)
    .execute();
}

/** Finds the mails of an account that are due after its first one. */
async function furtherDue(
  db: Db,
  { now, limit, rates, first }: { now: number; limit: number; rates: MailRates; first: Candidate },
): Promise<Candidate[]> {
  const rows = await allowedDue(db, { now, rates })
    .select(['due.id', 'due.account_id', 'due.receiver_email', 'due.next_attempt_at'])
    .select((eb) => triedOfReceiver(eb, 'due.receiver_email', now).as('of_receiver'))
    .where('due.account_id', '=', first.account_id)
    .limit(limit)
    .execute();
  return rows.slice(1).map((row) => ({ ...row, of_account: first.of_account }));
}

/** Due mails whose receivers may get one, those first that wait the longest. */
const allowedDue = (db: Db, { now, rates }: { now: number; rates: MailRates }) =>
  dueMails(db, now)
    .where((eb) => eb(triedOfReceiver(eb, 'due.receiver_email', now), '<', rates.perReceiverAndHour))
    .orderBy('due.next_attempt_at')
    .orderBy('due.id');

/** How many mails were tried to the address of a due one within the last hour. */
const triedOfReceiver = <Alias extends 'due' | 'first'>(
  { selectFrom }: Pick<ExpressionBuilder<Database, never>, 'selectFrom'>,
  address: `${Alias}.receiver_email`,
  now: number,
) =>
  selectFrom('mails as mail')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where(sql<boolean>`mail.receiver_email = ${sql.ref(address)}`)
    .where('mail.tried_at', '>', now - 3_600_000);

/** Whether a mail is due that no process has leased. */
export async function isMailDue(db: Db, now: number): Promise<boolean> {
  return (await dueMails(db, now).select('due.id').limit(1).executeTakeFirst()) !== undefined;
}

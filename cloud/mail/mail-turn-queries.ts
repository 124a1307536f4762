/** The database work of one turn of the mail dispatcher: it stores outcomes, and leases mails that are due. */
import { sql } from 'kysely';
import type { Db } from '../store/cloud-store.js';
import type { Mail } from './mail-queue-queries.js';

/** How an attempt ended. */
export interface MailOutcome {
  id: number;
  /** Which attempt it was. The outcome of one whose lease ended before it did is of no use any more. */
  attempt: number;
  status: Mail['status'];
  /** null: the mail was accepted. */
  error: string | null;
  /** Of a mail that is still queued. */
  next_attempt_at: number;
}

export async function recordMailOutcome(tx: Db, outcome: MailOutcome, now: number): Promise<void> {
  const { id, attempt, status, error, next_attempt_at } = outcome;
  const end = status === 'queued' ? { next_attempt_at } : { ended_at: now };
  await tx
    .updateTable('mails')
    .set({ status, last_error: error, lease_ends_at: null, updated_at: now, ...end })
    .where('id', '=', id)
    .where('attempts', '=', attempt)
    .where('ended_at', 'is', null)
    .execute();
}

/** A mail for which an attempt has to be made. */
export type DueMail = Pick<
  Mail,
  'id' | 'account_id' | 'kind' | 'receiver_email' | 'locale' | 'content' | 'attempts' | 'created_at'
> & { message_id: string; tries_began_at: number };

export interface MailRates {
  /** How many mails of an account are tried within a minute, and how many to one address within an hour. */
  perAccountAndMin: number;
  perReceiverAndHour: number;
}

/**
 * Leases at most `limit` due mails for one attempt each, of each account as many as of the others, if they have as many. Until
 * `leaseEndsAt` no other process leases them; if this process dies, another one leases them then.
 * @param options.generateMessageId for mails that have none
 */
export async function leaseDueMails(
  tx: Db,
  options: { now: number; leaseEndsAt: number; limit: number; rates: MailRates; generateMessageId: () => string },
): Promise<DueMail[]> {
  const { now, leaseEndsAt, generateMessageId } = options;
  const leased: DueMail[] = [];
  for (const id of await dueIds(tx, options)) {
    const mail = await tx
      .updateTable('mails')
      .set(({ ref, fn, val, eb }) => ({
        lease_ends_at: leaseEndsAt,
        attempts: eb(ref('attempts'), '+', val(1)),
        message_id: fn.coalesce('message_id', val(generateMessageId())),
        tries_began_at: fn.coalesce('tries_began_at', val(now)),
        tried_at: now,
        updated_at: now,
      }))
      .where('id', '=', id)
      .returning([
        'id',
        'account_id',
        'kind',
        'receiver_email',
        'locale',
        'content',
        'attempts',
        'created_at',
        'message_id',
        'tries_began_at',
      ])
      .executeTakeFirstOrThrow();
    // The statement has given it both.
    leased.push(mail as DueMail);
  }
  return leased;
}

/** Mails that are queued, due, and not leased. */
const dueMails = (db: Db, now: number) =>
  db
    .selectFrom('mails')
    .where('ended_at', 'is', null)
    .where('next_attempt_at', '<=', now)
    .where(({ or, eb }) => or([eb('lease_ends_at', 'is', null), eb('lease_ends_at', '<=', now)]));

async function dueIds(
  db: Db,
  { now, limit, rates }: { now: number; limit: number; rates: MailRates },
): Promise<number[]> {
  const rows = await db
    .with('due', () =>
      dueMails(db, now).select([
        'id',
        'account_id',
        'receiver_email',
        'next_attempt_at',
        sql<number>`row_number() over (partition by account_id order by next_attempt_at, id)`.as('turn'),
      ]),
    )
    .selectFrom('due')
    .select('due.id')
    .where('due.account_id', 'not in', ({ selectFrom, fn }) =>
      selectFrom('mails as tried')
        .select('tried.account_id')
        .where('tried.tried_at', '>', now - 60_000)
        .groupBy('tried.account_id')
        .having(fn.countAll(), '>=', rates.perAccountAndMin),
    )
    .where(
      ({ selectFrom, fn }) =>
        selectFrom('mails as tried')
          .select(fn.countAll<number>().as('count'))
          .whereRef('tried.receiver_email', '=', 'due.receiver_email')
          .where('tried.tried_at', '>', now - 3_600_000),
      '<',
      rates.perReceiverAndHour,
    )
    .orderBy('due.turn')
    .orderBy('due.next_attempt_at')
    .orderBy('due.id')
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

/** Whether a mail is due that no process has leased. */
export async function isMailDue(db: Db, now: number): Promise<boolean> {
  return (await dueMails(db, now).select('id').limit(1).executeTakeFirst()) !== undefined;
}

/** Finds when the next mail becomes due, or the next attempt counts as lost; null: there is neither. */
export async function nextMailAt(db: Db, now: number): Promise<number | null> {
  const next = async (column: 'next_attempt_at' | 'lease_ends_at') => {
    const row = await db
      .selectFrom('mails')
      .select(({ fn }) => fn.min<number | null>(column).as('at'))
      .where('ended_at', 'is', null)
      .where(column, '>', now)
      .executeTakeFirstOrThrow();
    return row.at === null ? [] : [row.at];
  };
  const moments = [...(await next('next_attempt_at')), ...(await next('lease_ends_at'))];
  return moments.length === 0 ? null : Math.min(...moments);
}

/** Deletes at most `limit` mails that ended before `before`, and returns how many. */
export async function pruneMails(tx: Db, options: { before: number; limit: number }): Promise<number> {
  const { numDeletedRows } = await tx
    .deleteFrom('mails')
    .where('id', 'in', ({ selectFrom }) =>
      selectFrom('mails').select('id').where('ended_at', '<', options.before).limit(options.limit),
    )
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}

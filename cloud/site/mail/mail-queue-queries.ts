/** Puts mails into the queue, in the transaction that causes them, and finds their states. */
import { inPieces } from '../../../shared/grouping.js';
import { encodeJson } from '../../../shared/json-text-codec.js';
import { type Db, insertNumbered, type Row, ROWS_OF_STATEMENT_MAX } from '../../kernel/store/entry.js';
import { type MailContents, type MailKind, PRODUCTS_PER_MAIL_MAX } from './mail-content.js';

export type Mail = Row<'mails'>;

/** A mail of an account to one receiver, with what its kind says (`mail-content.ts`). */
export type NewMail = {
  [Kind in MailKind]: {
    kind: Kind;
    /** An e-mail address as REST accepts them. */
    to: string;
    /** The receiver's language as a BCP 47 tag; null: not known, and the mail is in English. */
    locale: string | null;
    content: MailContents[Kind];
    account_id: number;
    /** The lot of the mail's subject: users who have that lot see the mail in lists. null: it is in no lot. */
    lot_id: number | null;
  };
}[MailKind];

/** How many mails of an account may wait. Further ones count as failed, so that a mistake does not fill the database. */
const QUEUED_PER_ACCOUNT_MAX = 10_000;

/**
 * Queues a mail in the transaction that causes it. It is sent after the commit, by one process, and tried for two days; no request waits
 * for it. When too many mails of the account wait already, it has failed from the beginning, with the reason.
 * @returns its id, for `mailStates`
 */
export async function queueMail(tx: Db, mail: NewMail, now: number): Promise<number> {
  const [id] = await queueMails(tx, [mail], now);
  if (id === undefined) throw new Error('A mail that was inserted has no id');
  return id;
}

/** Queues mails as `queueMail` does, by few statements. @returns their ids, in the order of the mails */
export async function queueMails(tx: Db, mails: readonly NewMail[], now: number): Promise<number[]> {
  // Others may queue at the same time: the limit is against floods, and need not be exact.
  const roomOf = new Map<number, number>();
  for (const account_id of new Set(mails.map((mail) => mail.account_id)))
    roomOf.set(account_id, QUEUED_PER_ACCOUNT_MAX - (await countQueued(tx, account_id)));
  const rows = mails.map((mail) => {
    const room = roomOf.get(mail.account_id) ?? 0;
    roomOf.set(mail.account_id, room - 1);
    return newRow(mail, { isQueued: room > 0, now });
  });
  return insertNumbered(tx, 'mails', rows);
}

function newRow(mail: NewMail, { isQueued, now }: { isQueued: boolean; now: number }) {
  const { kind, to, locale, content, account_id, lot_id } = mail;
  if (kind === 'key' && content.products.length > PRODUCTS_PER_MAIL_MAX)
    throw new Error(`A mail names ${PRODUCTS_PER_MAIL_MAX} products at most`);
  return {
    account_id,
    lot_id,
    kind,
    receiver_email: to,
    locale,
    content: encodeJson(content),
    message_id: null,
    status: isQueued ? ('queued' as const) : ('failed' as const),
    attempts: 0,
    last_error: isQueued ? null : `${QUEUED_PER_ACCOUNT_MAX} mails of the account wait already: try it again later`,
    tries_began_at: null,
    next_attempt_at: now,
    lease_ends_at: null,
    tried_at: null,
    ended_at: isQueued ? null : now,
    created_at: now,
    updated_at: now,
  };
}

async function countQueued(db: Db, account_id: number): Promise<number> {
  const { total } = await db
    .selectFrom('mails')
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .where('account_id', '=', account_id)
    .where('ended_at', 'is', null)
    .executeTakeFirstOrThrow();
  return Number(total);
}

/** The state of a mail. */
export interface MailState {
  /** `queued`: it is tried; `sent`: the mail server accepted it; `failed`: it is not tried any more. */
  status: Mail['status'];
  /** Attempts so far. */
  attempts: number;
  /** Why the last attempt failed, in words for people; null: none failed, or it was sent. */
  last_error: string | null;
  /** Wall milliseconds; null: it was not sent. */
  sent_at: number | null;
}

/** Finds the states of mails by their ids. Mails that ended more than 30 days ago are deleted, and missing in the answer. */
export async function mailStates(db: Db, ids: readonly number[]): Promise<ReadonlyMap<number, MailState>> {
  const found = new Map<number, MailState>();
  for (const piece of inPieces(ids, ROWS_OF_STATEMENT_MAX)) {
    const rows = await db
      .selectFrom('mails')
      .select(['id', 'status', 'attempts', 'last_error', 'ended_at'])
      .where('id', 'in', piece)
      .execute();
    for (const { id, status, attempts, last_error, ended_at } of rows)
      found.set(id, { status, attempts, last_error, sent_at: status === 'sent' ? ended_at : null });
  }
  return found;
}

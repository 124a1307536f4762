/** Reads mails for REST, the program and the measurements, and lets people begin or end their attempts. */
import type { Db } from '../../kernel/store/entry.js';
import { endedBecause } from '../../kernel/delivery/entry.js';
import type { Mail } from './mail-queue-queries.js';
import { WITHDRAWN } from './mail-withdrawal-queries.js';

/** The `last_error` of a mail that an operator ended. */
const DROPPED = 'An operator of the service dropped it';

export async function mailsByIds(db: Db, ids: readonly number[]): Promise<Mail[]> {
  return db
    .selectFrom('mails')
    .selectAll()
    .where('id', 'in', [...ids])
    .execute();
}

/** Lists mails with one of the states, the newest first. */
export async function newestMails(
  db: Db,
  { states, limit }: { states: readonly Mail['status'][]; limit: number },
): Promise<Mail[]> {
  return db
    .selectFrom('mails')
    .selectAll()
    .where('status', 'in', [...states])
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
}

/** Lists the ids of mails that wait, the oldest first. */
export async function waitingMailIds(db: Db): Promise<number[]> {
  const rows = await db.selectFrom('mails').select('id').where('status', '=', 'queued').orderBy('id').execute();
  return rows.map(({ id }) => id);
}

/** Lists the ids of mails that wait, and of those that failed but were ended by nobody, the oldest first. */
export async function unsentMailIds(db: Db): Promise<number[]> {
  const rows = await db
    .selectFrom('mails')
    .select('id')
    .where(({ eb, or, and, fn, val }) =>
      or([
        eb('status', '=', 'queued'),
        and([eb('status', '=', 'failed'), eb(fn.coalesce('last_error', val('')), 'not in', [DROPPED, WITHDRAWN])]),
      ]),
    )
    .orderBy('id')
    .execute();
  return rows.map(({ id }) => id);
}

/**
 * Begins new attempts at a mail that was not sent, whether it has failed or waits.
 * @returns the mail; null: it is gone, was sent, or brings nothing that opens any more
 */
export async function retryMail(tx: Db, id: number, now: number): Promise<Mail | null> {
  const row = await tx
    .updateTable('mails')
    .set({ status: 'queued', tries_began_at: null, next_attempt_at: now, ended_at: null, updated_at: now })
    .where('id', '=', id)
    .where('status', '!=', 'sent')
    .where(({ eb, fn, val }) => eb(fn.coalesce('last_error', val('')), '!=', WITHDRAWN))
    .returningAll()
    .executeTakeFirst();
  return row ?? null;
}

/** Ends the attempts at a mail. @returns the mail; null: it is gone, or has ended already */
export async function dropMail(tx: Db, id: number, now: number): Promise<Mail | null> {
  const row = await tx
    .updateTable('mails')
    .set({ ...endedBecause(DROPPED, now), status: 'failed', updated_at: now })
    .where('id', '=', id)
    .where('status', '=', 'queued')
    .returningAll()
    .executeTakeFirst();
  return row ?? null;
}

export async function countFailedMails(db: Db): Promise<number> {
  const { failed } = await db
    .selectFrom('mails')
    .select(({ fn }) => fn.countAll<number>().as('failed'))
    .where('status', '=', 'failed')
    .executeTakeFirstOrThrow();
  return Number(failed);
}

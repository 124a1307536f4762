/** Reads mails for REST, the program and the measurements, and lets people begin or end their attempts. */
import type { Db } from '../store/cloud-store.js';
import type { Mail } from './mail-queue-queries.js';

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

/** Lists the ids of mails with one of the states, the oldest first. */
export async function mailIdsIn(db: Db, states: readonly Mail['status'][]): Promise<number[]> {
  const rows = await db
    .selectFrom('mails')
    .select('id')
    .where('status', 'in', [...states])
    .orderBy('id')
    .execute();
  return rows.map(({ id }) => id);
}

/** Begins new attempts at a mail that was not sent, whether it has failed or waits. @returns the mail; null: it is gone, or was sent */
export async function retryMail(tx: Db, id: number, now: number): Promise<Mail | null> {
  const row = await tx
    .updateTable('mails')
    .set({ status: 'queued', tries_began_at: null, next_attempt_at: now, ended_at: null, updated_at: now })
    .where('id', '=', id)
    .where('status', '!=', 'sent')
    .returningAll()
    .executeTakeFirst();
  return row ?? null;
}

/** Ends the attempts at a mail. @returns the mail; null: it is gone, or has ended already */
export async function dropMail(tx: Db, id: number, now: number): Promise<Mail | null> {
  const row = await tx
    .updateTable('mails')
    .set({
      status: 'failed',
      last_error: 'An operator of the service dropped it',
      lease_ends_at: null,
      ended_at: now,
      updated_at: now,
    })
    .where('id', '=', id)
    .where('status', '=', 'queued')
    .returningAll()
    .executeTakeFirst();
  return row ?? null;
}

/** Counts mails that wait, with the age of the oldest (wall milliseconds; null: none waits), and those that failed. */
export async function waitingMails(db: Db): Promise<{ count: number; oldest_at: number | null; failed: number }> {
  const { count, oldest_at } = await db
    .selectFrom('mails')
    .select(({ fn }) => [fn.countAll<number>().as('count'), fn.min<number | null>('created_at').as('oldest_at')])
    .where('ended_at', 'is', null)
    .executeTakeFirstOrThrow();
  const { failed } = await db
    .selectFrom('mails')
    .select(({ fn }) => fn.countAll<number>().as('failed'))
    .where('status', '=', 'failed')
    .executeTakeFirstOrThrow();
  return { count: Number(count), oldest_at, failed: Number(failed) };
}

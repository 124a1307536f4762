/** Reads and writes by what a database knows that it is a copy, and the numbers that a copy does not give again. */
import { sql } from 'kysely';
import type { Db } from './cloud-store.js';

const ONLY_ROW = 1;

/** @returns null when no cloud has begun to work on the database */
export async function findNotedIdentity(db: Db): Promise<string | null> {
  const row = await db.selectFrom('database_identity').select('identity').executeTakeFirst();
  return row?.identity ?? null;
}

/**
 * Notes another identity. Of several that do it at once, the others wait until the first has committed.
 * @param noted what was found before
 * @returns false when another one did it
 */
export async function noteIdentity(
  tx: Db,
  { noted, identity, now }: { noted: string | null; identity: string; now: number },
): Promise<boolean> {
  const row = { identity, noted_at: now };
  if (noted !== null) {
    const changed = await tx
      .updateTable('database_identity')
      .set(row)
      .where('identity', '=', noted)
      .executeTakeFirstOrThrow();
    return changed.numUpdatedRows > 0n;
  }
  const made = await tx
    .insertInto('database_identity')
    .values({ id: ONLY_ROW, ...row })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .executeTakeFirstOrThrow();
  return Number(made.numInsertedOrUpdatedRows) > 0;
}

/** A moved database is taken for the one that it was moved from, or, like that one, for a copy. */
export async function setMovedIdentity(tx: Db, { isCopy }: { isCopy: boolean }): Promise<void> {
  await tx.deleteFrom('database_identity').execute();
  if (isCopy) await tx.insertInto('database_identity').values({ id: ONLY_ROW, identity: '', noted_at: 0 }).execute();
}

/** Finds when something was journalled last, wall milliseconds; null: nothing ever was. */
export async function lastJournalledAt(db: Db): Promise<number | null> {
  const { at } = await db
    .selectFrom('events')
    .select(({ fn }) => fn.max<number | null>('created_at').as('at'))
    .executeTakeFirstOrThrow();
  return at === null ? null : Number(at);
}

/**
 * Has every account's journal go on behind `least`, and at least `by` behind its newest event: those that have no event yet too, because
 * the original may have given them some. Rows are locked in the order of the accounts, as transactions with events do.
 */
export async function leapJournals(tx: Db, { by, least }: { by: number; least: number }): Promise<void> {
  await sql`
    insert into journal_heads (account_id, seq) select id, cast(${least} as bigint) from accounts where true order by id
    on conflict (account_id) do update set
      seq = case when journal_heads.seq + ${by} > excluded.seq then journal_heads.seq + ${by} else excluded.seq end
  `.execute(tx);
}

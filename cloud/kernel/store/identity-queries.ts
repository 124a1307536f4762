/** Reads and writes by what a database knows that it is a copy, and the numbers that a copy does not give again. */
import { inPieces } from '../../../shared/grouping.js';
import type { Db } from './cloud-store.js';
import { ROWS_OF_STATEMENT_MAX } from './rows-of-statement.js';

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
 * Has the journals of these accounts go on behind `least`, and at least `by` behind their newest events. Their rows are locked in the order of
 * the accounts, as transactions with events do.
 */
export async function leapJournals(
  tx: Db,
  { account_ids, by, least }: { account_ids: readonly number[]; by: number; least: number },
): Promise<void> {
  for (const piece of inPieces(
    account_ids.toSorted((a, b) => a - b),
    ROWS_OF_STATEMENT_MAX,
  )) {
    await tx
      .insertInto('journal_heads')
      .values(piece.map((account_id) => ({ account_id, seq: least, leapt_to: least })))
      .onConflict((conflict) =>
        conflict.column('account_id').doUpdateSet(({ eb, ref }) => {
          const behind = eb(ref('journal_heads.seq'), '+', by);
          const seq = eb.case().when(behind, '>', ref('excluded.seq')).then(behind).else(ref('excluded.seq')).end();
          return { seq, leapt_to: seq };
        }),
      )
      .execute();
  }
}

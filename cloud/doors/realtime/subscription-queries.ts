import type { Db } from '../../kernel/entry.js';

/** Finds those of the lots that the account has. */
export async function lotsOfAccount(db: Db, accountId: number, ids: readonly number[]): Promise<ReadonlySet<number>> {
  const rows = await db
    .selectFrom('lots')
    .select('id')
    .where('account_id', '=', accountId)
    .where('id', 'in', [...ids])
    .execute();
  return new Set(rows.map(({ id }) => id));
}

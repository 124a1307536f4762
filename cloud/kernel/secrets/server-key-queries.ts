import type { Db } from '../store/cloud-store.js';

const ONLY_ROW = 1;

/** @returns null when no cloud has worked with the database yet */
export async function findServerKeyCheck(db: Db): Promise<string | null> {
  const row = await db.selectFrom('server_keys').select('check_value').executeTakeFirst();
  return row?.check_value ?? null;
}

/** Of several that write at once the first one stays. */
export async function insertServerKeyCheck(tx: Db, row: { check_value: string; created_at: number }): Promise<void> {
  await tx
    .insertInto('server_keys')
    .values({ id: ONLY_ROW, ...row })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute();
}

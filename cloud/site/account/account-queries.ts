/** Reads and writes the settings of an account that hold for all its users. */
import type { Db, Row } from '../../kernel/store/entry.js';

export type AccountSettings = Pick<Row<'accounts'>, 'id' | 'name' | 'mask_plates'>;

export function findAccountSettings(db: Db, id: number): Promise<AccountSettings | undefined> {
  return db.selectFrom('accounts').select(['id', 'name', 'mask_plates']).where('id', '=', id).executeTakeFirst();
}

/** @param settled.now wall milliseconds */
export async function settleAccount(
  tx: Db,
  { id, mask_plates, now }: { id: number; mask_plates: 0 | 1; now: number },
): Promise<void> {
  await tx.updateTable('accounts').set({ mask_plates, updated_at: now }).where('id', '=', id).execute();
}

/** Lists the ids of all accounts, in any order. */
export async function accountIds(db: Db): Promise<number[]> {
  return (await db.selectFrom('accounts').select('id').execute()).map(({ id }) => id);
}

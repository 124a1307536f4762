/** Reads and writes the settings of an account that hold for all its users. */
import type { Db, Row } from '../../kernel/store/entry.js';

const SETTINGS = [
  'mask_plates',
  'attendant_money',
  'display_name',
  'contact_name',
  'contact_email',
  'contact_phone',
  'colour',
] as const;

export type AccountSettings = Pick<Row<'accounts'>, 'id' | 'name' | 'logo' | (typeof SETTINGS)[number]>;

export function findAccountSettings(db: Db, id: number): Promise<AccountSettings | undefined> {
  return db
    .selectFrom('accounts')
    .select(['id', 'name', 'logo', ...SETTINGS])
    .where('id', '=', id)
    .executeTakeFirst();
}

/** @param settled.now wall milliseconds */
export async function settleAccount(
  tx: Db,
  { id, set, now }: { id: number; set: Partial<Pick<AccountSettings, (typeof SETTINGS)[number]>>; now: number },
): Promise<void> {
  await tx
    .updateTable('accounts')
    .set({ ...set, updated_at: now })
    .where('id', '=', id)
    .execute();
}

/** Lists the ids of all accounts, in any order. */
export async function accountIds(db: Db): Promise<number[]> {
  return (await db.selectFrom('accounts').select('id').execute()).map(({ id }) => id);
}

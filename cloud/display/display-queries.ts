/** Reads displays and their rules. */
import type { Db } from '../store/cloud-store.js';

/** The tables of the list of rules. */
export const rulesWithDisplays = (db: Db) =>
  db.selectFrom('rgb_display_rules').innerJoin('rgb_displays', 'rgb_displays.id', 'rgb_display_rules.rgb_display_id');

/** Finds the highest `order` of a display's rules; 0 if it has none. */
export async function lastRuleOrder(db: Db, rgb_display_id: number): Promise<number> {
  const { last } = await db
    .selectFrom('rgb_display_rules')
    .select(({ fn }) => fn.max<number | null>('order').as('last'))
    .where('rgb_display_id', '=', rgb_display_id)
    .executeTakeFirstOrThrow();
  return last ?? 0;
}

/** Reads and writes when the boots of gateways began. */
import { inPieces } from '../../../shared/grouping.js';
import type { Db, Row } from '../../kernel/store/entry.js';

/** How many gateways one statement names. */
const GATEWAYS_AT_ONCE = 1_000;

/** Lists the boots of these gateways, those that were noted first at the beginning. */
export async function bootsOfGateways(db: Db, gateway_ids: readonly number[]): Promise<Row<'gateway_boots'>[]> {
  const boots: Row<'gateway_boots'>[] = [];
  for (const some of inPieces(gateway_ids, GATEWAYS_AT_ONCE)) {
    boots.push(
      ...(await db
        .selectFrom('gateway_boots')
        .selectAll()
        .where('gateway_id', 'in', some)
        .orderBy('noted_at')
        .orderBy('boot_id')
        .execute()),
    );
  }
  return boots;
}

/** @param kept how many boots of a gateway are kept; those that were noted first go */
export async function saveBoot(db: Db, boot: Row<'gateway_boots'>, kept: number): Promise<void> {
  const { gateway_id, began_at, noted_at } = boot;
  await db
    .insertInto('gateway_boots')
    .values(boot)
    .onConflict((conflict) => conflict.columns(['gateway_id', 'boot_id']).doUpdateSet({ began_at, noted_at }))
    .execute();
  const older = await db
    .selectFrom('gateway_boots')
    .select('boot_id')
    .where('gateway_id', '=', gateway_id)
    .orderBy('noted_at', 'desc')
    .orderBy('boot_id')
    .offset(kept)
    .limit(kept)
    .execute();
  if (older.length === 0) return;
  const ids = older.map(({ boot_id }) => boot_id);
  await db.deleteFrom('gateway_boots').where('gateway_id', '=', gateway_id).where('boot_id', 'in', ids).execute();
}

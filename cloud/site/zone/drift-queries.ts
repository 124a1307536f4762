/** Stores since when the counts of a zone's sensors and sessions have differed too much. */
import type { Db } from '../../kernel/store/entry.js';

/** Finds the zones whose counts have differed since this time or longer. @param before wall milliseconds */
export async function driftsOfZones(
  db: Db,
  zones: readonly { id: number }[],
  before: number,
): Promise<Map<number, number>> {
  if (zones.length === 0) return new Map();
  const rows = await db
    .selectFrom('zone_drifts')
    .selectAll()
    .where(
      'zone_id',
      'in',
      zones.map(({ id }) => id),
    )
    .where('differs_since', '<=', before)
    .execute();
  return new Map(rows.map(({ zone_id, differs_since }) => [zone_id, differs_since]));
}

/** Lists the zones whose places have sensors. */
export function zonesWithSensors(db: Db): Promise<{ id: number; spot_count: number }[]> {
  return db
    .selectFrom('zones')
    .select(['id', 'spot_count'])
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('parking_places')
        .select('zone_id')
        .where('parking_gateway_id', 'is not', null)
        .where('sensor', 'is not', null),
    )
    .orderBy('id')
    .execute();
}

export async function differingZones(db: Db): Promise<number[]> {
  const rows = await db.selectFrom('zone_drifts').select('zone_id').execute();
  return rows.map(({ zone_id }) => zone_id);
}

/** Stores that the counts of zones differ, unless it is stored already. Zones that were deleted in the meantime are skipped. */
export async function noteDiffers(tx: Db, zone_ids: readonly number[], now: number): Promise<void> {
  if (zone_ids.length === 0) return;
  await tx
    .insertInto('zone_drifts')
    .columns(['zone_id', 'differs_since'])
    .expression((eb) =>
      eb
        .selectFrom('zones')
        .select(({ cast, val }) => ['id', cast<number>(val(now), 'bigint').as('differs_since')])
        .where('id', 'in', zone_ids),
    )
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

export async function forgetDiffers(tx: Db, zone_ids: readonly number[]): Promise<void> {
  if (zone_ids.length > 0) await tx.deleteFrom('zone_drifts').where('zone_id', 'in', zone_ids).execute();
}

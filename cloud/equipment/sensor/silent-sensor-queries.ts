/** Writes which places have a silent sensor. */
import { type Db, saveEach } from '../../kernel/entry.js';

/** A gateway tells silence in ages, which differ a little from report to report. */
const SAME_SILENCE_MS = 60_000;

/**
 * Writes which sensors of a parking gateway are silent; all of its others are heard.
 * @param of.silent by the place's id: when its sensor was last heard, wall milliseconds
 */
export async function savePlacesStale(
  db: Db,
  of: { parking_gateway_id: number; silent: ReadonlyMap<number, number>; now: number },
): Promise<void> {
  const { parking_gateway_id, silent, now: updated_at } = of;
  const places = await db
    .selectFrom('parking_places')
    .select(['id', 'stale_since'])
    .where('parking_gateway_id', '=', parking_gateway_id)
    .where('sensor', 'is not', null)
    .execute();
  const changed = places.flatMap(({ id, stale_since: before }) => {
    const stale_since = silent.get(id) ?? null;
    const isSame =
      before === null || stale_since === null
        ? before === stale_since
        : Math.abs(before - stale_since) < SAME_SILENCE_MS;
    return isSame ? [] : [{ id, set: { stale_since, updated_at } }];
  });
  await saveEach(db, 'parking_places', changed);
}

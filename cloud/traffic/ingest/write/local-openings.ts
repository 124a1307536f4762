/** Keeps what people had products do at a gateway itself. */
import type { LocalActionRecord } from '../../../../shared/uplink.js';
import { findGatewayName, insertOpenings, type NewOpening, productIdsIn } from '../../../equipment/entry.js';
import type { Tx } from '../../../kernel/store/entry.js';
import { findVehicleId } from '../../reading/handled-queries.js';
import type { RecordContext } from '../plan/context.js';

/** A release says that it was ordered: how it ended is seen by the states of the products alone. */
const OF_RELEASE = { release: 'stay_open', release_clear: 'clear_stay_open' } as const;

/** @param of.product_id null: of none, or of one that was removed meanwhile */
export async function noteLocalOpenings(
  tx: Tx,
  { gateway: { id: gateway_id, account_id, lot_id }, now }: RecordContext,
  record: LocalActionRecord,
  { product_id, at }: { product_id: number | null; at: number },
): Promise<void> {
  const { action, operation, outcome, event_id } = record;
  const isReleased = action === 'release' || action === 'release_clear';
  if (!isReleased && (product_id === null || outcome === null)) return;
  const given_by = await findGatewayName(tx, gateway_id);
  const { sighting_uid, reading_uid, gateway_error_type } = record;
  const plate_reading_id = await findVehicleId(tx, { table: 'plate_readings', uid: reading_uid, lot_id });
  const plate_sighting_id = await findVehicleId(tx, { table: 'sightings', uid: sighting_uid, lot_id });
  const openings = (isReleased ? await productIdsIn(tx, lot_id) : [product_id ?? 0]).map(
    (product): NewOpening => ({
      account_id,
      lot_id,
      product_id: product,
      gateway_id,
      // To let a vehicle in is to open.
      operation: isReleased ? OF_RELEASE[action] : (operation ?? 'open'),
      cause: isReleased ? 'emergency' : 'on_site',
      given_by,
      outcome: isReleased ? 'unknown' : (outcome ?? 'unknown'),
      error_type: gateway_error_type === null ? null : `${gateway_error_type}`,
      event_id,
      plate_reading_id,
      plate_sighting_id,
      at,
    }),
  );
  await insertOpenings(tx, openings, now);
}

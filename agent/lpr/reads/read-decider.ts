/** Decides on a plate from memory alone, and opens the product if the decision says so. */
import { decideAccess, RETRANSMISSION_MAX_AGE_MS } from '../../../shared/access/decide-access.js';
import { traceOf } from '../../../shared/access/explain-access.js';
import type { Clock } from '../../../shared/clock.js';
import type { EventId, ProductDeviceId, Uid } from '../../../shared/ids.js';
import type { PlateReadRecord } from '../../../shared/uplink.js';
import { type FactMemory, gatherFacts } from './read-facts.js';
import type { DecidedPlate, SeenPlate } from './read-refiner.js';
import type { RecordedOpenings } from './recorded-openings.js';

export interface ReadDeciderDeps extends FactMemory {
  /** Whether a product is held closed: then it is not opened for vehicles that come in. */
  isHeldClosed: (deviceId: ProductDeviceId) => boolean;
  clock: Clock;
  /** Whether the cloud is connected. */
  isOnline: () => boolean;
  newUid: () => Uid;
  newEventId: () => EventId;
}

/** The returned function gives the command to open before it returns. */
export function createReadDecider(
  deps: ReadDeciderDeps,
  openings: Pick<RecordedOpenings, 'open' | 'onPlateRead'>,
): (seen: SeenPlate) => DecidedPlate {
  const { rules, recent, clock } = deps;
  return function decide(seen) {
    const { uid, camera, plate, direction, by_position, time } = seen;
    const isLate = seen.retransmission && !(time.age_ms <= RETRANSMISSION_MAX_AGE_MS);
    const product = camera.product_device_id === null ? undefined : rules.product(camera.product_device_id);
    const received_mono_ms = isLate ? null : clock.monotonic();
    const known = gatherFacts(
      {
        camera,
        product,
        plate,
        direction,
        by_position,
        time,
        retransmission: seen.retransmission,
        received_ms: clock.now(),
        received_mono_ms,
        new_session_uid: deps.newUid(),
        offline: !deps.isOnline(),
      },
      deps,
    );
    const decision = decideAccess(known.facts);
    let intent: PlateReadRecord['opening'] = null;
    if (product !== undefined) {
      const { device_id } = product;
      // A debounced read is of the vehicle that stands there, whatever its plate.
      if (!isLate && !decision.debounced) openings.onPlateRead(device_id, plate);
      if (decision.opens) {
        intent = { event_id: deps.newEventId(), product_id: product.id };
        const isRefused = direction === 'in' && deps.isHeldClosed(device_id);
        openings.open(uid, { device_id, event_id: intent.event_id, plate }, { productId: product.id, isRefused });
      }
    }
    if (direction !== 'undefined' && !decision.debounced) {
      const { event_ms } = time;
      const camera_device_id = camera.device_id;
      const admitted = decision.lot_entry?.is_allowed === true;
      recent.add({ uid, camera_device_id, plate, direction, event_ms, received_mono_ms, by_position, admitted });
    }
    return { known, decision, trace: traceOf(known.facts, { rule: decision.rule, plate }), opening: intent };
  };
}

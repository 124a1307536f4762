/** Decides on a plate as if a camera read it now, by the facts that a real read would have. It moves, keeps and reports nothing. */
import { type AccessDecision, decideAccess } from '../../../shared/access/decide-access.js';
import { isByPosition, resolveDirection } from '../../../shared/access/resolve-direction.js';
import type { Clock } from '../../../shared/clock.js';
import type { CameraItem, ProductItem } from '../../../shared/gateway-config.js';
import type { ProductDeviceId, Uid } from '../../../shared/ids.js';
import { normalisePlate } from '../../../shared/plate/normalise-plate.js';
import { type FactMemory, gatherFacts } from './read-facts.js';

/** The uid of the session that would begin. It is never kept. */
const NO_UID = '00000000-0000-7000-8000-000000000000' as Uid;

export interface DryRun {
  /** Normalised. */
  plate: string;
  decision: AccessDecision;
  is_zone_known: boolean;
  /** The product that the camera opens; undefined: none, or one that this gateway does not know. */
  product: ProductItem | undefined;
  /** The product is held closed, and would not be opened for a vehicle that comes in. */
  is_held_closed: boolean;
}

export interface DryRunDeps extends FactMemory {
  isHeldClosed(deviceId: ProductDeviceId): boolean;
  clock: Clock;
  isOnline(): boolean;
}

/** The vehicle approaches the camera. @param plate as a person writes it */
export type RunDry = (camera: CameraItem, plate: string) => DryRun;

export function createDryRun(deps: DryRunDeps): RunDry {
  const { rules, clock } = deps;
  return (camera, text) => {
    const plate = normalisePlate(text);
    const product = camera.product_device_id === null ? undefined : rules.product(camera.product_device_id);
    const direction = resolveDirection('towards', camera);
    const received_ms = clock.now();
    const { facts } = gatherFacts(
      {
        camera,
        product,
        plate,
        direction,
        by_position: isByPosition('towards', camera),
        time: { event_ms: received_ms, age_ms: 0 },
        retransmission: false,
        received_ms,
        received_mono_ms: clock.monotonic(),
        new_session_uid: NO_UID,
        offline: !deps.isOnline(),
      },
      deps,
    );
    return {
      plate,
      decision: decideAccess(facts),
      is_zone_known: rules.zone(camera.zone_id) !== undefined,
      product,
      is_held_closed: direction === 'in' && product !== undefined && deps.isHeldClosed(product.device_id),
    };
  };
}

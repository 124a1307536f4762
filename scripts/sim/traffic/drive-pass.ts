/** One vehicle at one camera: it is read, waits until it may pass, and passes. */
import { type Clock, sleep } from '../../../shared/clock.js';
import type { SimCamera } from '../cameras/camera.js';
import type { SimProduct } from '../products/sim-product.js';
import { AGAIN_S, type Pass, type SeenPlate } from './traffic-schedule.js';
import type { Vehicle } from './vehicle.js';

export interface Gate {
  camera: Pick<SimCamera, 'read'>;
  /** The product that the camera opens; undefined: the way is free. */
  product: Pick<SimProduct, 'view' | 'change'> | undefined;
}

/** A driver waits this long for the barrier before trying something else. */
const PATIENCE_MS = 8_000;
/** A vehicle is read after the one before it has passed the barrier. */
const CLOSED_WITHIN_MS = 15_000;
const LOOK_EVERY_MS = 100;
const UNDER_THE_BARRIER_MS = 1_500;

/**
 * Resolves to whether the vehicle passed; rejects with the signal's reason when the car park is closed meanwhile. In both cases nothing
 * blocks the barrier afterwards.
 */
export async function drivePass(
  gate: Gate,
  { vehicle, pass }: { vehicle: Vehicle; pass: Pass },
  { clock, signal }: { clock: Clock; signal: AbortSignal },
): Promise<boolean> {
  const { camera, product } = gate;
  const soon = async (isSo: () => boolean, limitMs: number): Promise<boolean> => {
    for (const end = clock.monotonic() + limitMs; !isSo(); await sleep(clock, LOOK_EVERY_MS, signal)) {
      if (clock.monotonic() >= end) return false;
    }
    return true;
  };
  if (pass.reads.length === 0) return true;
  await soon(() => product?.view().state !== 'opened', CLOSED_WITHIN_MS);
  const unblock = pass.jam_s === null ? null : block(gate, pass.jam_s, clock);
  try {
    const came = clock.monotonic();
    const at = (seen: SeenPlate) => sleep(clock, Math.max(0, came + seen.after_s * 1_000 - clock.monotonic()), signal);
    const look = (seen: SeenPlate) => camera.read(readOf(vehicle, seen));
    for (const [index, seen] of pass.reads.entries()) {
      await at(seen);
      const outcome = await look(seen);
      const isPassable = product === undefined ? outcome.outcome === 'answered' : undefined;
      if (!(isPassable ?? (await soon(() => product?.view().state === 'opened', PATIENCE_MS)))) continue;
      const again = pass.reads[index + 1];
      if (again !== undefined && again.after_s - seen.after_s <= AGAIN_S) {
        await at(again);
        await look(again);
      }
      product?.change({ car_on_top: true });
      await sleep(clock, UNDER_THE_BARRIER_MS, signal).finally(() => product?.change({ car_on_top: false }));
      return true;
    }
    return false;
  } finally {
    unblock?.();
  }
}

function block({ product }: Gate, seconds: number, clock: Clock): () => void {
  const unblock = () => {
    timer.cancel();
    product?.change({ jammed: false });
  };
  const timer = clock.setTimer(seconds * 1_000, unblock);
  product?.change({ jammed: true });
  return unblock;
}

const readOf = ({ type, make, color, country_code }: Vehicle, { plate, confidence, direction }: SeenPlate) => ({
  plate,
  confidence,
  direction,
  type,
  make,
  color,
  country_code,
});

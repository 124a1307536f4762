/**
 * The drivers whose cameras are described by mappings: any camera by the mapping in its settings, and the vendors of `vendor-mappings.ts`.
 */
import { type CameraMappingInput, cameraMappingSchema } from '../../../shared/drivers/camera-mapping.js';
import type { CameraDriver, CameraDriverDeps, CameraPush } from '../camera.js';
import { reachProbe } from '../network/http-probe.js';
import { mappedPush } from './mapping-push.js';
import { GENETEC, MILESIGHT, OPENALPR, PLATE_RECOGNIZER, SURVISION, UNIFI, VERKADA } from './vendor-mappings.js';
import { refuseUnsigned } from './verkada-signature.js';

/** A mapping in the camera's settings replaces the table of its vendor, because an installer may have changed what the camera posts. */
function driverOf(
  tables: readonly CameraMappingInput[],
  {
    refuse,
    together = false,
  }: { refuse?: (push: CameraPush, now_ms: number) => string | null; together?: boolean } = {},
): (deps: Pick<CameraDriverDeps, 'clock'>) => CameraDriver {
  return ({ clock }) => {
    const parsed = tables.map((table) => cameraMappingSchema.parse(table));
    const check = refuse === undefined ? {} : { refuse: (push: CameraPush) => refuse(push, clock.now()) };
    return { push: mappedPush({ tables: parsed, together, ...check }), probe: reachProbe };
  };
}

export const MAPPING_DRIVERS = {
  mapping: driverOf([]),
  milesight: driverOf(MILESIGHT),
  openalpr: driverOf(OPENALPR),
  platerecognizer: driverOf(PLATE_RECOGNIZER),
  verkada: driverOf(VERKADA, { refuse: refuseUnsigned }),
  genetec: driverOf(GENETEC),
  unifi: driverOf(UNIFI, { together: true }),
  survision: driverOf(SURVISION),
};

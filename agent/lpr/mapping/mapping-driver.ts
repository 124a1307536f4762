/** The drivers whose cameras are described by tables: any camera by the mapping in its settings, and the vendors whose tables are here. */
import { type CameraMappingInput, cameraMappingSchema } from '../../../shared/drivers/camera-mapping.js';
import type { CameraDriverName } from '../../../shared/drivers/camera-driver-names.js';
import type { CameraDriver, CameraDriverDeps, CameraPush } from '../camera.js';
import { mappedPush } from './mapping-push.js';
import { GENETEC } from './tables/genetec-table.js';
import { MILESIGHT } from './tables/milesight-table.js';
import { OPENALPR } from './tables/openalpr-table.js';
import { PLATE_RECOGNIZER } from './tables/platerecognizer-table.js';
import { SURVISION } from './tables/survision-table.js';
import { UNIFI } from './tables/unifi-table.js';
import { VERKADA } from './tables/verkada-table.js';
import { refuseUnsigned } from './verkada-signature.js';

/** A camera's own mapping goes before the table of its vendor: an installer may have changed what it posts. */
function driverOf(
  name: CameraDriverName,
  tables: readonly CameraMappingInput[],
  {
    refuse,
    together = false,
  }: { refuse?: (push: CameraPush, now_ms: number) => string | null; together?: boolean } = {},
): (deps: Pick<CameraDriverDeps, 'clock'>) => CameraDriver {
  return ({ clock }) => {
    const parsed = tables.map((table) => cameraMappingSchema.parse(table));
    const check = refuse === undefined ? {} : { refuse: (push: CameraPush) => refuse(push, clock.now()) };
    return { name, push: mappedPush({ tables: parsed, together, ...check }), probe: null };
  };
}

export const createMappingDriver = driverOf('mapping', []);
export const createMilesightDriver = driverOf('milesight', MILESIGHT);
export const createOpenalprDriver = driverOf('openalpr', OPENALPR);
export const createPlateRecognizerDriver = driverOf('platerecognizer', PLATE_RECOGNIZER);
export const createVerkadaDriver = driverOf('verkada', VERKADA, { refuse: refuseUnsigned });
export const createGenetecDriver = driverOf('genetec', GENETEC);
export const createUnifiDriver = driverOf('unifi', UNIFI, { together: true });
export const createSurvisionDriver = driverOf('survision', SURVISION);

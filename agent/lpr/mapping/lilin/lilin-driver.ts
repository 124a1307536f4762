import { cameraMappingSchema } from '../../../../shared/drivers/camera-mapping.js';
import type { CameraDriver, CameraDriverDeps } from '../../camera.js';
import { mappedPush } from '../mapping-push.js';
import { createCameraClient } from '../../network/camera-client.js';
import { reachProbe } from '../../network/http-probe.js';
import { createLilinStream } from './lilin-stream.js';
import { LILIN } from '../vendor-mappings.js';

/** Driver: LILIN cameras. They push what an installer's template says, or the gateway listens to their alarms. */
export function createLilinDriver(deps: CameraDriverDeps): CameraDriver {
  const { clock, random } = deps;
  return {
    push: mappedPush({ tables: LILIN.map((table) => cameraMappingSchema.parse(table)) }),
    probe: reachProbe,
    source: createLilinStream({ client: createCameraClient(deps), clock, random }),
  };
}

/** The camera drivers of this gateway. Each has a folder in this room and one line here. */
import type { CameraDriverName } from '../../shared/drivers/camera-driver-list.js';
import type { CameraDriver, CameraDriverDeps, CameraDrivers } from './camera.js';
import { createAxisDriver } from './axis/axis-driver.js';
import { createDahuaDriver } from './dahua/dahua-driver.js';
import { createFrigateDriver } from './frigate/frigate-driver.js';
import { createHikvisionDriver } from './hikvision/hikvision-driver.js';
import { createLilinDriver } from './mapping/lilin/lilin-driver.js';
import { MAPPING_DRIVERS } from './mapping/mapping-driver.js';
import { createOnvifDriver } from './onvif/onvif-driver.js';
import { createUniviewDriver } from './uniview/uniview-driver.js';
import { createZhenshiDriver } from './zhenshi/zhenshi-driver.js';

const FACTORIES: Readonly<Record<CameraDriverName, (deps: CameraDriverDeps) => CameraDriver>> = {
  hikvision: createHikvisionDriver,
  dahua: createDahuaDriver,
  axis: createAxisDriver,
  onvif: createOnvifDriver,
  zhenshi: createZhenshiDriver,
  uniview: createUniviewDriver,
  frigate: createFrigateDriver,
  lilin: createLilinDriver,
  ...MAPPING_DRIVERS,
};

export function createCameraDrivers(deps: CameraDriverDeps): CameraDrivers {
  return new Map(Object.entries(FACTORIES).map(([name, create]) => [name, create(deps)]));
}

/** The camera drivers of this gateway. Each has a folder in this room and one line here. */
import type { CameraDriver, CameraDriverDeps, CameraDrivers } from './camera.js';
import { createAxisDriver } from './axis/axis-driver.js';
import { createDahuaDriver } from './dahua/dahua-driver.js';
import { createFrigateDriver } from './frigate/frigate-driver.js';
import { createHikvisionDriver } from './hikvision/hikvision-driver.js';
import { createLilinDriver } from './mapping/lilin/lilin-driver.js';
import {
  createGenetecDriver,
  createMappingDriver,
  createMilesightDriver,
  createOpenalprDriver,
  createPlateRecognizerDriver,
  createSurvisionDriver,
  createUnifiDriver,
  createVerkadaDriver,
} from './mapping/mapping-driver.js';
import { createOnvifDriver } from './onvif/onvif-driver.js';
import { createUniviewDriver } from './uniview/uniview-driver.js';
import { createZhenshiDriver } from './zhenshi/zhenshi-driver.js';

const FACTORIES: ((deps: CameraDriverDeps) => CameraDriver)[] = [
  createHikvisionDriver,
  createDahuaDriver,
  createAxisDriver,
  createOnvifDriver,
  createZhenshiDriver,
  createUniviewDriver,
  createFrigateDriver,
  createMappingDriver,
  createMilesightDriver,
  createOpenalprDriver,
  createPlateRecognizerDriver,
  createVerkadaDriver,
  createLilinDriver,
  createGenetecDriver,
  createUnifiDriver,
  createSurvisionDriver,
];

export function createCameraDrivers(deps: CameraDriverDeps): CameraDrivers {
  return new Map(FACTORIES.map((create) => create(deps)).map((driver) => [driver.name, driver]));
}

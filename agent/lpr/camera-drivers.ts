/** The camera drivers of this gateway. Each has a folder of this room and one line here. */
import type { CameraDriver, CameraDriverDeps, CameraDrivers } from './camera.js';
import { createHikvisionDriver } from './hikvision/hikvision-driver.js';

const FACTORIES: ((deps: CameraDriverDeps) => CameraDriver)[] = [createHikvisionDriver];

export function createCameraDrivers(deps: CameraDriverDeps): CameraDrivers {
  return new Map(FACTORIES.map((create) => create(deps)).map((driver) => [driver.name, driver]));
}

import type { CameraDriver, CameraDriverDeps } from '../camera.js';
import { createHikvisionProbe } from './hikvision-probe.js';
import { hikvisionPush } from './hikvision-push.js';

/** Driver: Hikvision cameras, which post their reads and answer ISAPI. */
export const createHikvisionDriver = (deps: CameraDriverDeps): CameraDriver => ({
  name: 'hikvision',
  push: hikvisionPush,
  probe: createHikvisionProbe(deps),
});

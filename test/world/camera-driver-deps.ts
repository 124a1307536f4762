import type { CameraDriverDeps } from '../../agent/lpr/camera.js';
import type { Clock } from '../../shared/clock.js';

/** What drivers of cameras need from outside, without chance. */
export const cameraDriverDeps = (clock: Clock, over: Partial<CameraDriverDeps> = {}): CameraDriverDeps => ({
  clock,
  randomHex: (bytes) => '0'.repeat(2 * bytes),
  random: () => 0.5,
  seenSha256: new Set(),
  gatewayUuid: '',
  httpPort: () => 0,
  ...over,
});

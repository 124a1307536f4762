/** The listener for pushes in the car park of `plate-world.ts`, and what became of what was posted to it. */
import { createCameraDrivers } from '../../../agent/lpr/camera-drivers.js';
import { createBodyBudget } from '../../../agent/lpr/push/body-budget.js';
import { createMisdirectedPushes } from '../../../agent/lpr/push/misdirected-pushes.js';
import { createPushListener, type PushListenerDeps } from '../../../agent/lpr/push/push-listener.js';
import { createThreadShare } from '../../../agent/lpr/push/thread-share.js';
import type { MalformedPush } from '../../../agent/lpr/push/quarantine.js';
import { silentLogger } from '../../../shared/logger.js';
import { cameraDriverDeps } from '../../world/camera-driver-deps.js';
import { plateWorld, type WorldOptions } from './plate-world.js';

/** The address at which Hikvision's `cam-in` posts. */
export const PATH = '/lpr/hikvision/cam-in/right-key';
export const XML_TYPE = { 'content-type': 'application/xml' };

/** @param others parts of the listener that the test has in place of the usual ones */
export function pushWorld(options: WorldOptions = {}, others: Partial<PushListenerDeps> = {}) {
  const world = plateWorld(options);
  const quarantined: MalformedPush[] = [];
  const authorized: string[] = [];
  const budget = createBodyBudget({ clock: world.clock });
  const app = createPushListener({
    drivers: createCameraDrivers(cameraDriverDeps(world.clock)),
    camera: world.rules.camera,
    cameras: world.rules.cameras,
    plateReads: world.reads,
    quarantine: { add: (push) => Promise.resolve(quarantined.push(push) > 0) },
    states: world.states,
    budget,
    share: createThreadShare({ clock: world.clock }),
    misdirected: createMisdirectedPushes(world.clock),
    remoteAddress: () => '',
    onAuthorized: ({ req }) => void authorized.push(req.path),
    clock: world.clock,
    logger: silentLogger,
    ...others,
  });
  const post = async (body: string | Uint8Array, path = PATH, headers: Record<string, string> = XML_TYPE) =>
    app.request(path, { method: 'POST', body: Buffer.from(body), headers });
  return { ...world, app, quarantined, authorized, budget, post };
}

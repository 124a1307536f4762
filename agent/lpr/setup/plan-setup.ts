/** Plans the setup of a camera: by its driver, or by hand where the driver does not support it. */
import type { Clock } from '../../../shared/clock.js';
import { isZoneKnown } from '../../../shared/counted-zone.js';
import type { CameraItem } from '../../../shared/gateway-config.js';
import type { CameraDrivers, SetupPlan } from '../camera.js';
import { type PushHostDeps, pushHost } from './push-hosts.js';

export interface SetupPlannerDeps extends PushHostDeps {
  drivers: CameraDrivers;
  clock: Pick<Clock, 'now'>;
  isClockKnown: () => boolean;
}

/** The wishes of a person beside the gateway's needs. */
export interface SetupWishes {
  /** The host of a time server that the camera's clock shall follow. */
  timeServer?: string | undefined;
}

/** @throws Error that says why the camera cannot be set up */
export async function planSetup(
  camera: CameraItem,
  { timeServer }: SetupWishes,
  deps: SetupPlannerDeps,
  signal: AbortSignal,
): Promise<Pick<SetupPlan, 'changes' | 'byHand'>> {
  const driver = deps.drivers.get(camera.driver);
  const pushUrl = await pushUrlOf(camera, deps, signal);
  if (driver?.planSetup === undefined) return { changes: [], byHand: stepsByHand(camera, pushUrl, timeServer) };
  const isPushing = driver.push !== null && driver.fixedPath?.isOnly !== true;
  if (isPushing && camera.push_key === '')
    throw new Error(`${camera.device_id} has no push_key: give it one, and it can push`);
  // In a zone that this machine does not know it cannot say what a clock should show.
  const now_ms = deps.isClockKnown() && isZoneKnown(camera.timezone) ? deps.clock.now() : null;
  const plan = await driver.planSetup(camera, { pushUrl, now_ms, timeServer: timeServer ?? null }, signal);
  if (timeServer === undefined || plan.namesTimeServer === true) return plan;
  return { ...plan, byHand: [...plan.byHand, `name ${timeServer} as its time server on its web page`] };
}

/** The push address of the camera, at this gateway's own address on the way to the camera. */
async function pushUrlOf(camera: CameraItem, deps: SetupPlannerDeps, signal: AbortSignal): Promise<URL> {
  const path = ['lpr', camera.driver, camera.device_id, camera.push_key].map(encodeURIComponent).join('/');
  return new URL(`http://${await pushHost(camera, deps, signal)}/${path}`);
}

function stepsByHand(
  { driver, device_id, timezone }: CameraItem,
  pushUrl: URL,
  timeServer: string | undefined,
): string[] {
  const byServer = timeServer === undefined ? '' : ` (${timeServer})`;
  return [
    `point its push at http://${pushUrl.host}/lpr/${driver}/${device_id}/KEY on its web page`,
    `set its clock and its time zone (${timezone}), best by a time server${byServer}`,
  ];
}

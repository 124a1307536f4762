/**
 * Sets cameras up for this gateway, and takes that back. The old settings are kept in a file before anything is changed, and an undo writes
 * them back.
 */
import type { CameraItem } from '../../../shared/gateway-config.js';
import type { Clock } from '../../../shared/clock.js';
import type { SetupChange, SetupRequest } from '../camera.js';
import { reasonOf } from '../network/camera-client.js';
import { withinTime } from '../network/within-time.js';
import { createKeptUndos } from './kept-undos.js';
import { planSetup, type SetupPlannerDeps, type SetupWishes } from './plan-setup.js';
import { sendSetup } from './setup-requests.js';

const WITHIN_MS = 30_000;

export interface SetupReport {
  /** The changes that would be made, or were. */
  changes: string[];
  /** The steps that are left to a person. */
  byHand: string[];
  isDone: boolean;
}

export interface CameraSetups {
  /** Says what a setup would change. @throws Error that says what is wrong */
  plan(deviceId: string, wishes?: SetupWishes): Promise<SetupReport>;
  apply(deviceId: string, wishes?: SetupWishes): Promise<SetupReport>;
  /** Writes back the settings from before the first setup. */
  undo(deviceId: string): Promise<SetupReport>;
}

export interface CameraSetupsDeps extends SetupPlannerDeps {
  camera: (deviceId: string) => CameraItem | undefined;
  /** The folder for the old settings. */
  directory: string;
  clock: Clock;
  /** Called when settings of a camera were changed, perhaps its clock. */
  onChanged: (deviceId: string) => void;
}

export function createCameraSetups(deps: CameraSetupsDeps): CameraSetups {
  const undos = createKeptUndos(deps.directory);

  function known(deviceId: string): CameraItem {
    const camera = deps.camera(deviceId);
    if (camera === undefined) throw new Error(`there is no camera ${deviceId}; parking-agent cameras list shows them`);
    if (!/^https?:/i.test(camera.address)) throw new Error(`${deviceId} has no address at which it could be asked`);
    return camera;
  }

  /** Makes the changes one after the other; where one fails, those before it are taken back. */
  async function changeAll(camera: CameraItem, changes: readonly SetupChange[], signal: AbortSignal): Promise<void> {
    const done: SetupRequest[] = [];
    for (const each of changes) {
      await undos.keep(camera.device_id, each);
      try {
        await send(camera, each.apply, deps, signal);
      } catch (error) {
        const back = await undoSetup(camera, done, deps);
        throw new Error(`${each.what}: ${reasonOf(error)}; ${back}`, { cause: error });
      }
      if (each.undo !== null) done.push(each.undo);
    }
  }

  return {
    plan: (deviceId, wishes = {}) =>
      inTime(deps, async (signal) => reportOf(await planSetup(known(deviceId), wishes, deps, signal), false)),
    apply: (deviceId, wishes = {}) =>
      inTime(deps, async (signal) => {
        const camera = known(deviceId);
        const plan = await planSetup(camera, wishes, deps, signal);
        await changeAll(camera, plan.changes, signal).finally(() => deps.onChanged(camera.device_id));
        // The camera is read again, because some cameras say that they took what they did not take.
        const after = plan.changes.length === 0 ? plan : await planSetup(camera, wishes, deps, signal);
        const notKept = after.changes.map(
          ({ what }) => `it did not keep what it was told (${what}): set it on its web page`,
        );
        return reportOf({ changes: plan.changes, byHand: [...after.byHand, ...(after === plan ? [] : notKept)] }, true);
      }),
    undo: (deviceId) =>
      inTime(deps, async (signal) => {
        const camera = known(deviceId);
        const kept = await undos.of(camera.device_id);
        for (const { undo } of kept.toReversed()) await send(camera, undo, deps, signal);
        deps.onChanged(camera.device_id);
        await undos.forget(camera.device_id);
        return reportOf({ changes: kept.map(({ what }) => ({ what: `back: ${what}` })), byHand: [] }, true);
      }),
  };
}

const inTime = <Result>({ clock }: CameraSetupsDeps, work: (signal: AbortSignal) => Promise<Result>): Promise<Result> =>
  withinTime({ clock, ms: WITHIN_MS, reason: 'the camera does not answer in time' }, work);

function send(
  camera: CameraItem,
  request: SetupRequest,
  { drivers, client }: CameraSetupsDeps,
  signal: AbortSignal,
): Promise<void> {
  const sendByDriver = drivers.get(camera.driver)?.sendSetup;
  return sendByDriver === undefined
    ? sendSetup(client, camera, request, signal)
    : sendByDriver(camera, request, signal);
}

/** Writes back the old settings within a time of its own, because that of the changes may be over. Returns the outcome, for people. */
async function undoSetup(camera: CameraItem, undos: readonly SetupRequest[], deps: CameraSetupsDeps): Promise<string> {
  try {
    await inTime(deps, async (signal) => {
      for (const undo of undos.toReversed()) await send(camera, undo, deps, signal);
    });
    return 'what was changed before is as it was';
  } catch (error) {
    return `what was changed before could not be taken back (${reasonOf(error)}): an undo will, once the camera answers`;
  }
}

const reportOf = (plan: { changes: { what: string }[]; byHand: string[] }, isDone: boolean): SetupReport => ({
  changes: plan.changes.map(({ what }) => what),
  byHand: plan.byHand,
  isDone,
});

/** Plans how a Hikvision camera is set up over ISAPI: where it pushes to, that it pushes plates at all, and its clock. */
import type { CameraDriver, PlanCameraSetup } from '../camera.js';
import type { CameraClient } from '../network/camera-client.js';
import { planOf } from '../setup/decide-setting.js';
import { readSetting } from '../setup/setup-requests.js';
import {
  clockOf,
  decideClockChange,
  decideHostChange,
  decideTimeServerChanges,
  decideTriggerChange,
  HOSTS,
  TIME,
  TIME_SERVER,
  TRIGGER,
} from './decide-hikvision-setup.js';

export function createHikvisionClock(client: CameraClient): NonNullable<CameraDriver['readClock']> {
  return async (camera, signal) =>
    clockOf((await readSetting(client, camera, { path: TIME, signal })) || null, camera.timezone)?.epoch_ms ?? null;
}

export function createHikvisionSetup(client: CameraClient): PlanCameraSetup {
  return async (camera, { pushUrl, now_ms, timeServer }, signal) => {
    const read = async (path: string) => (await readSetting(client, camera, { path, signal })) || null;
    // One after the other, so that a camera with a wrong account is asked once.
    const [hosts, trigger, time] = [await read(HOSTS), await read(TRIGGER), await read(TIME)];
    const clock = decideClockChange(time, { now_ms, zone: camera.timezone });
    const right = clock.kind === 'change' ? clock.change.apply.body : time;
    const servers =
      timeServer === null ? [] : decideTimeServerChanges({ time: right, server: await read(TIME_SERVER) }, timeServer);
    const plan = planOf([decideHostChange(hosts, pushUrl), decideTriggerChange(trigger), clock, ...servers]);
    return { ...plan, namesTimeServer: true };
  };
}

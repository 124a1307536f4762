/** Plans how a Uniview camera is set up. The gateway subscribes to the events by itself, so that only the clock is set. */
import type { CameraDriver, PlanCameraSetup } from '../camera.js';
import { parseJson } from '../formats/document-parser.js';
import { textAt, valueAt } from '../formats/path-parser.js';
import type { CameraClient } from '../network/camera-client.js';
import { decideClock, planOf } from '../setup/decide-setting.js';
import { readSetting } from '../setup/setup-requests.js';

const TIME = '/LAPI/V1.0/System/Time';
/** Some firmwares lack this; their clock counts as set by hand. */
const NTP = '/LAPI/V1.0/System/NTP';

const clockMs = (time: unknown): number | null => {
  const seconds = Number(textAt(time, ['DeviceTime']) || 'NaN');
  return Number.isFinite(seconds) ? seconds * 1000 : null;
};

export function createUniviewClock(client: CameraClient): NonNullable<CameraDriver['readClock']> {
  return async (camera, signal) =>
    clockMs(valueAt(parseJson(await readSetting(client, camera, { path: TIME, signal })), 'Response.Data'));
}

export function createUniviewSetup(client: CameraClient): PlanCameraSetup {
  return async (camera, { now_ms }, signal) => {
    const read = async (path: string): Promise<unknown> =>
      valueAt(parseJson(await readSetting(client, camera, { path, signal })), 'Response.Data');
    const time = await read(TIME);
    const followsServer = ['1', 'true'].includes(textAt(await read(NTP), ['Enabled', 'Enable']));
    return planOf([
      decideClock({ camera_ms: clockMs(time), now_ms, followsServer }, (now) => ({
        method: 'PUT',
        path: TIME,
        contentType: 'application/json',
        body: JSON.stringify({ ...(time as object), DeviceTime: Math.round(now / 1000) }),
        expects: '"ResponseCode"\\s*:\\s*0\\b',
      })),
    ]);
  };
}

/** Plans how a Uniview camera is set up. The gateway subscribes to the events by itself, so that only the clock is set. */
import type { PlanCameraSetup } from '../camera.js';
import { parseJson } from '../formats/document-parser.js';
import { textAt, valueAt } from '../formats/path-parser.js';
import type { CameraClient } from '../network/camera-client.js';
import { decideClock, planOf } from '../setup/decide-setting.js';
import { readSetting } from '../setup/setup-requests.js';

const TIME = '/LAPI/V1.0/System/Time';
/** Some firmwares lack this; their clock counts as set by hand. */
const NTP = '/LAPI/V1.0/System/NTP';

export function createUniviewSetup(client: CameraClient): PlanCameraSetup {
  return async (camera, { now_ms }, signal) => {
    const read = async (path: string): Promise<unknown> =>
      valueAt(parseJson(await readSetting(client, camera, { path, signal })), 'Response.Data');
    const time = await read(TIME);
    const seconds = Number(textAt(time, ['DeviceTime']) || 'NaN');
    const followsServer = ['1', 'true'].includes(textAt(await read(NTP), ['Enabled', 'Enable']));
    return planOf([
      decideClock({ camera_ms: Number.isFinite(seconds) ? seconds * 1000 : null, now_ms, followsServer }, (now) => ({
        method: 'PUT',
        path: TIME,
        contentType: 'application/json',
        body: JSON.stringify({ ...(time as object), DeviceTime: Math.round(now / 1000) }),
        expects: '"ResponseCode"\\s*:\\s*0\\b',
      })),
    ]);
  };
}

/** Plans how a Hikvision camera is set up over ISAPI: where it pushes to, that plates are told at all, and its clock. */
import type { PlanCameraSetup, SetupChange, SetupPlan } from '../camera.js';
import { decodeText } from '../formats/charset-parser.js';
import type { CameraClient } from '../network/camera-client.js';
import {
  decideClockChange,
  decideHostChange,
  decideTimeServerChanges,
  decideTriggerChange,
  type FoundSetting,
} from './decide-hikvision-setup.js';

const HOSTS = '/ISAPI/Event/notification/httpHosts';
const TRIGGER = '/ISAPI/Event/triggers/vehicledetection-1';
const TIME = '/ISAPI/System/time';
const TIME_SERVER = '/ISAPI/System/time/ntpServers/1';
const OK = 200;

export function createHikvisionSetup(client: CameraClient): PlanCameraSetup {
  return async (camera, { pushUrl, now_ms, timeServer }, signal): Promise<SetupPlan> => {
    const read = async (path: string): Promise<string | null> => {
      const { status, body } = await client.ask(camera, { path, signal });
      return status === OK ? decodeText(body) : null;
    };
    // One after the other: a camera with a wrong account is asked once.
    const [hosts, trigger, time] = [await read(HOSTS), await read(TRIGGER), await read(TIME)];
    const clock = decideClockChange(time, { now_ms, zone: camera.timezone });
    const right = clock.kind === 'change' ? clock.after : time;
    const servers =
      timeServer === null ? [] : decideTimeServerChanges({ time: right, server: await read(TIME_SERVER) }, timeServer);
    const found: FoundSetting[] = [decideHostChange(hosts, pushUrl), decideTriggerChange(trigger), clock, ...servers];
    return {
      namesTimeServer: true,
      changes: found.flatMap((each): SetupChange[] => (each.kind === 'change' ? [changeOf(each)] : [])),
      byHand: found.flatMap((each) => (each.kind === 'by hand' ? [each.what] : [])),
    };
  };
}

function changeOf({ what, path, before, after }: Extract<FoundSetting, { kind: 'change' }>): SetupChange {
  const request = { method: 'PUT', path, contentType: 'application/xml' } as const;
  return { what, apply: { ...request, body: after }, undo: before === null ? null : { ...request, body: before } };
}

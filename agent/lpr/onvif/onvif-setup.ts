/** Plans how an ONVIF camera is set up. The gateway pulls the events by itself, so that only the clock is set (`SetSystemDateAndTime`). */
import type { PlanCameraSetup, SendSetup } from '../camera.js';
import { decideClock, planOf } from '../setup/decide-setting.js';
import { type OnvifClient, withSession } from './onvif-client.js';

const SET_TIME = 'SetSystemDateAndTime';

export function createOnvifSetup(client: OnvifClient): { planSetup: PlanCameraSetup; sendSetup: SendSetup } {
  return {
    planSetup: (camera, { now_ms }, signal) =>
      withSession(client, camera, async (session) => {
        const { camera_ms, followsServer } = await session.readTime(signal);
        const setTo = (now: number) =>
          ({ method: 'POST', path: SET_TIME, contentType: '', body: String(now) }) as const;
        return planOf([decideClock({ camera_ms, now_ms, followsServer }, setTo)]);
      }),
    async sendSetup(camera, { path, body }, signal) {
      if (path !== SET_TIME) throw new Error(`ONVIF knows no ${path} here`);
      await withSession(client, camera, async (session) => {
        // The library dates a password by the camera's clock, which `connect` reads.
        await session.connect(signal);
        await session.setTime(Number(body), signal);
      });
    },
  };
}

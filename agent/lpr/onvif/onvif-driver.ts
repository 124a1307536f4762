import type { CameraDriver, CameraDriverDeps, PlanCameraSetup, SendSetup } from '../camera.js';
import { describeAnswer, faulty, probeBy } from '../network/http-probe.js';
import { decideClock, planOf } from '../setup/decide-setting.js';
import { createOnvifClient, type OnvifClient, withSession } from './onvif-client.js';
import { NoOnvifAnswer } from './onvif-library.js';
import { createOnvifSource } from './onvif-source.js';

const SET_TIME = 'SetSystemDateAndTime';

/** Driver: any camera that reports its plates as ONVIF events. */
export function createOnvifDriver(deps: CameraDriverDeps): CameraDriver {
  const client = createOnvifClient(deps);
  return {
    push: null,
    probe: probeBy(async (camera, signal) => {
      try {
        return await withSession(client, camera, async (session) => {
          await session.connect(signal);
          await session.checkAccount(signal);
          return { isThere: true, problem: null };
        });
      } catch (error) {
        if (!(error instanceof NoOnvifAnswer) || error.status >= 500) throw error;
        const { status, body } = error;
        const isWell = status >= 200 && status < 300;
        return faulty(
          'ONVIF',
          isWell
            ? { kind: 'stranger', answer: describeAnswer(body, '') }
            : { kind: 'no_interface', answer: `it answers ${status}` },
        );
      }
    }),
    readClock: (camera, signal) =>
      withSession(client, camera, async (session) => (await session.readTime(signal)).camera_ms),
    source: createOnvifSource({ client, clock: deps.clock, random: deps.random }),
    ...createOnvifSetup(client),
  };
}

/** Plans how a camera is set up. The gateway pulls the events by itself, so that only the clock is set. */
function createOnvifSetup(client: OnvifClient): { planSetup: PlanCameraSetup; sendSetup: SendSetup } {
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

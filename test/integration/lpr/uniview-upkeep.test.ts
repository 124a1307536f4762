/** A Uniview camera that renews no subscription is heard by each until its time is over, and holds one at a time. */
import { Hono } from 'hono';
import { afterEach, describe, expect, it } from 'vitest';
import type { CameraSource } from '../../../agent/lpr/camera.js';
import { createUniviewDriver } from '../../../agent/lpr/uniview/uniview-driver.js';
import { type HttpListener, listenHttp } from '../../../scripts/sim/http-listener.js';
import { FakeClock } from '../../world/fake-clock.js';
import { camera } from '../../unit/lpr/plate-world.js';
import { cameraDriverDeps } from '../../world/camera-driver-deps.js';

const BASE = '/LAPI/V1.0/System/Event/Subscription';
const SECOND_MS = 1_000;

describe('a Uniview camera that refuses to renew', () => {
  let listener: HttpListener | undefined;
  let source: CameraSource | null | undefined;
  afterEach(async () => {
    await source?.close();
    await listener?.close();
  });

  it.each([
    ['names no time', {}, 60],
    ['names its time', { CurrentTime: 1_000, TerminationTime: 1_040 }, 40],
  ])('keeps its subscription when it %s, and gets the next one at its end', async (_what, times, lifeS) => {
    const clock = new FakeClock();
    const made: number[] = [];
    let renewals = 0;
    const device = new Hono();
    const answer = (data: unknown, code = 0) => ({ Response: { ResponseCode: code, Data: data } });
    device.get(BASE, (context) => context.json(answer({})));
    device.post(BASE, (context) => {
      made.push(clock.monotonic());
      return context.json(answer({ ID: made.length, Reference: `cam/${made.length}`, ...times }));
    });
    device.put(`${BASE}/:id`, (context) => {
      renewals++;
      return context.json(answer({}, 5));
    });
    device.delete(`${BASE}/:id`, (context) => context.json(answer({})));
    listener = await listenHttp(device.fetch, { host: '127.0.0.1', port: 0 });
    const driver = createUniviewDriver(cameraDriverDeps(clock, { httpPort: () => 1 }));
    const item = camera('cam', { driver: 'uniview', push_key: '', address: `http://127.0.0.1:${listener.port}` });
    const faults: (string | null)[] = [];
    source = driver.source?.(item, {
      onRead: async () => {},
      onAlive() {},
      onMalformed() {},
      onFault: (reason) => faults.push(reason),
    });
    await expect.poll(() => made.length).toBe(1);
    const isHeard = () => driver.fixedPath?.camerasAt('127.0.0.1', []).length;
    await expect.poll(isHeard).toBe(1);
    while (made.length < 3) {
      const [before, asked] = [made.length, renewals];
      // Each wait is for the next try to renew, or for the end.
      await expect.poll(() => clock.nextIn).not.toBeNull();
      await clock.advance(clock.nextIn ?? 0);
      await expect.poll(() => made.length > before || renewals > asked).toBe(true);
      await expect.poll(isHeard).toBe(1);
    }
    const lives = made.slice(1).map((at, index) => (at - (made[index] ?? 0)) / SECOND_MS);
    for (const life of lives) expect(life).toBeCloseTo(lifeS, 0);
    expect(faults).toEqual([null, null, null]);
  });
});

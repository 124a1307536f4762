import { afterEach, describe, expect, it } from 'vitest';
import { createHikvisionDriver } from '../../../agent/lpr/hikvision/hikvision-driver.js';
import type { CameraItem } from '../../../shared/gateway-config.js';
import { hikvisionCamera } from '../../../scripts/sim/cameras/hikvision-camera.js';
import type { CarParkCamera } from '../../../scripts/sim/car-park.js';
import { type HttpListener, listenHttp } from '../../../scripts/sim/http-listener.js';
import { deferred } from '../../../agent/waiting/deferred.js';
import { FakeClock } from '../../world/fake-clock.js';
import { camera } from '../../unit/lpr/plate-world.js';
import { HOUR_MS } from '../../../shared/durations.js';
import { cameraDriverDeps } from '../../world/camera-driver-deps.js';

const clock = new FakeClock();
let listener: HttpListener | null = null;
/** What the camera was asked with: the Authorization header of each request. */
let asked: (string | null)[] = [];

afterEach(async () => {
  await listener?.close();
  listener = null;
  asked = [];
});

async function serve(answer: (request: Request) => Response | Promise<Response>): Promise<string> {
  listener = await listenHttp(
    (request) => {
      asked.push(request.headers.get('authorization'));
      return answer(request);
    },
    { host: '127.0.0.1', port: 0 },
  );
  return `http://127.0.0.1:${listener.port}`;
}

/** The simulator's camera. */
const serveCamera = () =>
  serve(
    hikvisionCamera.createDevice({
      device_id: 'cam',
      name: 'Camera',
      username: 'admin',
      password: 'secret',
    } as CarParkCamera).fetch,
  );

const itemOf = (address: string, change: Partial<CameraItem> = {}): CameraItem =>
  camera('cam', { address, username: 'admin', password: 'secret', ...change });

function createProbe() {
  const { probe } = createHikvisionDriver(cameraDriverDeps(clock, { randomHex: (bytes) => 'ab'.repeat(bytes) }));
  if (probe === null) throw new Error('the driver has no probe');
  return (item: CameraItem, signal = new AbortController().signal) => probe(item, signal);
}

describe('the probe of a Hikvision camera', () => {
  it('finds it, with digest authentication', async () => {
    const address = await serveCamera();
    expect(await createProbe()(itemOf(address))).toEqual({ isThere: true, problem: null });
    expect(asked).toEqual([null, expect.stringMatching(/^Digest username="admin"/)]);
  });

  it('tells a wrong password once, and tries it again only after an hour or when it is another', async () => {
    const probe = createProbe();
    const address = await serveCamera();
    const wrong = itemOf(address, { password: 'wrong' });
    const refusal = {
      isThere: true,
      condition: 'auth',
      problem: expect.stringContaining('refuses the user name and password'),
    };
    for (let round = 0; round < 30; round++) {
      expect(await probe(wrong)).toEqual(refusal);
      await clock.advance(60_000);
    }
    const tries = () => asked.filter((authorization) => authorization !== null).length;
    expect(tries()).toBe(1);
    await clock.advance(HOUR_MS);
    expect(await probe(wrong)).toEqual(refusal);
    expect(tries()).toBe(2);
    expect(await probe(itemOf(address))).toEqual({ isThere: true, problem: null });
    expect(tries()).toBe(3);
  });

  it('finds one that asks for a password nobody gave', async () => {
    const address = await serveCamera();
    const answer = await createProbe()(itemOf(address, { username: '' }));
    expect(answer).toEqual({
      isThere: true,
      condition: 'auth',
      problem: expect.stringContaining('asks for a user name and password'),
    });
    expect(asked).toEqual([null]);
  });

  it.each([
    [503, { isThere: false, problem: 'it answers 503' }],
    [403, { isThere: true, condition: 'auth', problem: expect.stringContaining('give the account its rights') }],
  ])('takes %i as it is', async (status, answer) => {
    const address = await serve(() => new Response('x', { status }));
    expect(await createProbe()(itemOf(address))).toEqual(answer);
  });

  it('reads no more than the status of an answer without an end', async () => {
    let chunks = 0;
    const ended = deferred<void>();
    const endless = new ReadableStream({
      pull(controller) {
        chunks += 1;
        controller.enqueue(new Uint8Array(65_536));
      },
      cancel: () => ended.resolve(),
    });
    const address = await serve(() => new Response(endless, { status: 404 }));
    const answer = await createProbe()(itemOf(address));
    expect(answer).toMatchObject({ isThere: true, problem: expect.stringContaining('it answers 404') });
    // The connection is given up, and with it what the camera would go on to send.
    await ended.promise;
    expect(chunks).toBeGreaterThan(0);
  });
});

/** What is no camera of the driver, at the address of a camera: each driver that asks says what it is. */
import { afterEach, describe, expect, it } from 'vitest';
import { createCameraDrivers } from '../../../agent/lpr/camera-drivers.js';
import type { ProbeAnswer } from '../../../agent/lpr/camera.js';
import { ALL_CAMERAS } from '../../../scripts/sim/cameras/all-cameras.js';
import { type HttpListener, listenHttp } from '../../../scripts/sim/http-listener.js';
import type { CameraDriverName } from '../../../shared/drivers/camera-driver-list.js';
import { systemClock } from '../../../shared/system-clock.js';
import { camera } from '../../unit/lpr/plate-world.js';
import { cameraDriverDeps } from '../../world/camera-driver-deps.js';
import { entryCamera } from '../../world/entry-camera.js';
import { freePorts } from '../../world/free-ports.js';

const ACCOUNT = { username: 'admin', password: 'a secret' };
const ASKING = ['hikvision', 'dahua', 'axis', 'uniview', 'onvif'] as const;
/** Those whose cameras have no request of their own. */
const ONLY_PUSHING = ['milesight', 'openalpr', 'platerecognizer', 'genetec', 'survision', 'unifi', 'lilin'] as const;

let listener: HttpListener | null = null;
afterEach(async () => {
  await listener?.close();
  listener = null;
});

async function serve(answer: (request: Request) => Response | Promise<Response>): Promise<string> {
  listener = await listenHttp(answer, { host: '127.0.0.1', port: 0 });
  return `http://127.0.0.1:${listener.port}`;
}

function ask(driver: CameraDriverName, address: string): Promise<ProbeAnswer> {
  const probe = createCameraDrivers(cameraDriverDeps(systemClock)).get(driver)?.probe ?? null;
  if (probe === null) throw new Error(`${driver} has no probe`);
  return probe(camera('cam', { driver, address, ...ACCOUNT }), AbortSignal.timeout(8_000));
}

const page = () =>
  new Response('<html><head><title>Router login</title></head></html>', { headers: { 'content-type': 'text/html' } });

describe.each(ASKING)('the driver %s', (driver) => {
  it('knows its own camera', async () => {
    const device = ALL_CAMERAS[driver]?.createDevice(entryCamera({ driver, ...ACCOUNT }), {
      subscribe: () => () => {},
    });
    const address = await serve((request) => device?.fetch(request) ?? new Response(null, { status: 500 }));
    expect(await ask(driver, address)).toEqual({ isThere: true, problem: null });
  });

  it('takes the page of another vendor for none of its cameras', async () => {
    expect(await ask(driver, await serve(page))).toMatchObject({
      problem: expect.stringContaining('Router login'),
      fault: { kind: 'stranger', answer: 'a page “Router login”' },
    });
  });

  it('says that its interface is not there', async () => {
    const address = await serve(() => new Response('not here', { status: 404 }));
    expect(await ask(driver, address)).toMatchObject({
      problem: expect.stringContaining('wrong driver or wrong port'),
      fault: { kind: 'no_interface', answer: expect.stringContaining('404') },
    });
  });

  it('says where it was sent instead of following', async () => {
    const address = await serve(() => Response.redirect('https://127.0.0.1:9443/elsewhere', 301));
    const { fault } = (await ask(driver, address)) as { fault?: unknown };
    // The library of ONVIF shows the status alone.
    if (driver === 'onvif') expect(fault).toEqual({ kind: 'no_interface', answer: 'it answers 301' });
    else expect(fault).toEqual({ kind: 'redirects', to: 'https://127.0.0.1:9443' });
  });

  it('takes a page of the same device, to which it was sent, for none of its interface', async () => {
    const address = await serve(() => new Response(null, { status: 302, headers: { location: '/login.html' } }));
    expect(await ask(driver, address)).toMatchObject({ fault: { kind: 'no_interface' } });
  });

  it('ends with an answer that has no end', async () => {
    const endless = () =>
      new Response(new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(65_536)) }));
    const answer = await ask(driver, await serve(endless));
    expect(answer.problem).not.toBeNull();
  });

  it('says why nobody answers', async () => {
    const [port = 0] = await freePorts(1);
    const answer = await ask(driver, `http://127.0.0.1:${port}`);
    expect(answer).toEqual({ isThere: false, problem: expect.stringContaining(`ECONNREFUSED 127.0.0.1:${port}`) });
  });
});

describe.each(ONLY_PUSHING)('the driver %s', (driver) => {
  it('knows whether anything listens there, and no more', async () => {
    expect(await ask(driver, await serve(page))).toEqual({ isThere: true, problem: null, isUnproven: true });
    const [port = 0] = await freePorts(1);
    expect(await ask(driver, `http://127.0.0.1:${port}`)).toMatchObject({ isThere: false });
  });
});

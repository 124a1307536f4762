import { get } from 'node:http';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { GatewayUuid, ProductDeviceId } from '../../../shared/ids.js';
import { entryCamera } from '../../world/entry-camera.js';
import { createEmulatedSim, type EmulatedSim } from '../../../scripts/sim/create-emulated-sim.js';
import { listenControl } from '../../../scripts/sim/control/listen-control.js';
import { type HttpListener, listenHttp } from '../../../scripts/sim/http-listener.js';
import { startTestGateway } from './sim-gateway.js';

const NORTH = '0d3c2a54-5a1f-4b7e-9a51-3f1f6f0b7c01' as GatewayUuid;
const SOUTH = '0d3c2a54-5a1f-4b7e-9a51-3f1f6f0b7c02' as GatewayUuid;
const BARRIER = {
  device_id: 'a4c138000001' as ProductDeviceId,
  name: 'Entry barrier',
  type: 'barrier' as const,
  power_type: 'battery',
  master_key: new Uint8Array(32).fill(7),
  // It runs by the real clock: what was opened stays open for as long as a test looks.
  autoclose: { on: false, seconds: 10 },
};
const CAMERA = entryCamera({ gateway_uuid: NORTH });

/** An answer, as far as the tests look into it. */
interface Body {
  errors: { code: number; message: string; field?: string }[];
  products: { device_id: string }[];
  cameras: unknown[];
}

const fieldsOf = (answer: { body: Body }) => answer.body.errors.map((error) => error.field);

describe('the control interface', () => {
  let sim: EmulatedSim;
  let agent: HttpListener;
  let pushes: { path: string; body: string }[];
  let agentStatus: number;

  beforeEach(async () => {
    pushes = [];
    agentStatus = 200;
    agent = await listenHttp(
      async (request) => {
        pushes.push({ path: new URL(request.url).pathname, body: await request.text() });
        return new Response(null, { status: agentStatus });
      },
      { host: '127.0.0.1', port: 0 },
    );
    sim = await createEmulatedSim({
      carPark: {
        gateways: [NORTH, SOUTH],
        products: [BARRIER],
        cameras: [
          CAMERA,
          { ...CAMERA, device_id: 'cam-out-1', lpr_position: 'out', plate_side: 'rear', gateway_uuid: SOUTH },
          { ...CAMERA, device_id: 'cam-other', driver: 'unheard-of' },
        ],
        parkingGateways: [],
        displays: [],
      },
      agents: { byGateway: new Map([[NORTH, `http://127.0.0.1:${agent.port}`]]) },
      control: { host: '127.0.0.1', port: 0 },
      movementMs: 20,
    });
  });

  afterEach(async () => {
    await sim.close();
    await agent.close();
  });

  async function ask(method: string, path: string, body?: unknown): Promise<{ status: number; body: Body }> {
    const response = await fetch(`http://127.0.0.1:${sim.controlPort}${path}`, {
      method,
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    expect(response.headers.get('content-type')).toContain('application/json');
    return { status: response.status, body: (await response.json()) as Body };
  }

  it('is not for a page whose name was made to lead here', async () => {
    const statusFor = (host: string) =>
      new Promise<number | undefined>((resolve, reject) => {
        const options = { port: sim.controlPort, path: '/', headers: { host }, agent: false };
        get(options, (response) => {
          response.resume();
          resolve(response.statusCode);
        }).once('error', reject);
      });
    expect([await statusFor('localhost'), await statusFor('evil.example')]).toEqual([200, 421]);
  });

  it('tells of a product just what the contract has', async () => {
    expect(await ask('GET', '/products/a4c138000001')).toEqual({
      status: 200,
      body: {
        device_id: 'a4c138000001',
        state: 'closed',
        permanent_position: 'disabled',
        car_on_top: false,
        jammed: false,
        sensor_dirty: false,
        rtc_valid: true,
        battery: 87,
        in_range: true,
        rssi: -55,
        moves: 0,
      },
    });
  });

  it('lists everything', async () => {
    const { status, body } = await ask('GET', '/');
    expect(status).toBe(200);
    expect(body.products.map((product) => product.device_id)).toEqual(['a4c138000001']);
    expect(body.cameras).toEqual([
      { device_id: 'cam-in-1', driver: 'hikvision', address: '', online: true, waiting: 0 },
      { device_id: 'cam-out-1', driver: 'hikvision', address: '', online: true, waiting: 0 },
      { device_id: 'cam-other', driver: 'unheard-of', address: '', online: true, waiting: 0 },
    ]);
  });

  it('sets what happens to a product', async () => {
    const change = {
      car_on_top: true,
      jammed: true,
      sensor_dirty: true,
      rtc_valid: false,
      battery: 12,
      in_range: false,
    };
    const answer = await ask('PATCH', '/products/a4c138000001', {
      ...change,
      rssi: -80,
      loss: 0.1,
      answer_delay_ms: 50,
    });
    expect(answer).toMatchObject({ status: 200, body: { ...change, rssi: -80, state: 'closed' } });
    expect((await ask('GET', '/products/a4c138000001')).body).toEqual(answer.body);
    expect(sim.radio.path({ product: 'a4c138000001', central: NORTH })).toMatchObject({ loss: 0.1, inRange: false });
    const back = {
      car_on_top: false,
      jammed: false,
      sensor_dirty: false,
      rtc_valid: true,
      battery: null,
      in_range: true,
    };
    expect((await ask('PATCH', '/products/a4c138000001', back)).body).toMatchObject(back);
  });

  it('sets how one gateway hears a product, and only that', async () => {
    const path = `/products/a4c138000001?gateway=${NORTH}`;
    expect((await ask('PATCH', path, { in_range: false, rssi: -91 })).body).toMatchObject({
      in_range: false,
      rssi: -91,
    });
    expect((await ask('GET', path)).body).toMatchObject({ in_range: false, rssi: -91 });
    expect((await ask('GET', '/products/a4c138000001')).body).toMatchObject({ in_range: true, rssi: -55 });
    expect((await ask('GET', `/products/a4c138000001?gateway=${SOUTH}`)).body).toMatchObject({ in_range: true });
    const refused = await ask('PATCH', path, { car_on_top: true, loss: 2 });
    expect(refused.status).toBe(422);
    expect(fieldsOf(refused)).toEqual(expect.arrayContaining(['car_on_top', 'loss']));
  });

  it('counts what a gateway moves', async () => {
    const { radio } = sim;
    const open = () => radio.openTransport({ role: 'central', name: NORTH });
    const gateway = await startTestGateway({ kind: 'transport', open });
    await gateway.run(BARRIER, { name: 'open' }, '00000001');
    expect((await ask('GET', '/products/a4c138000001')).body).toMatchObject({ state: 'opened', moves: 1 });
    await gateway.radio.close();
  });

  it('has a camera send what it is told, and tells what the agent said', async () => {
    const read = { plate: 'ZG1234AB', direction: 'out', confidence: 0.5, type: 'van', make: 'Ford', color: 'red' };
    const answer = await ask('POST', '/cameras/cam-in-1/read', { ...read, country_code: 'HR', repeat: 1 });
    expect(answer).toEqual({ status: 200, body: { status: 200 } });
    expect(pushes).toHaveLength(2);
    expect(pushes[0]?.path).toBe('/lpr/hikvision/cam-in-1/key');
    for (const part of ['ZG1234AB', 'reverse', '<confidenceLevel>50<', '>van<', '>7<', '>red<', '>HRV<']) {
      expect(pushes[0]?.body).toContain(part);
    }
    agentStatus = 404;
    expect(await ask('POST', '/cameras/cam-in-1/read', { plate: 'ZG1' })).toEqual({
      status: 200,
      body: { status: 404 },
    });
    expect(pushes.at(-1)?.body).toContain('<direction>forward<');
  });

  it('tells when an agent is not there, and keeps the event for it', async () => {
    await agent.close();
    const gone = await ask('POST', '/cameras/cam-in-1/read', { plate: 'ZG1' });
    expect(gone.status).toBe(502);
    expect(gone.body.errors[0]?.message).toMatch(/^Camera cam-in-1: .*ECONNREFUSED/);
    expect((await ask('GET', '/')).body.cameras[0]).toMatchObject({ waiting: 1 });
    const nobody = await ask('POST', '/cameras/cam-out-1/read', { plate: 'ZG1' });
    expect(nobody.status).toBe(502);
    expect(nobody.body.errors[0]?.message).toContain('no agent was given');
  });

  it('takes a camera off the network and back', async () => {
    expect(await ask('PATCH', '/cameras/cam-in-1', { online: false })).toMatchObject({
      status: 200,
      body: { online: false },
    });
    const silent = await ask('POST', '/cameras/cam-in-1/read', { plate: 'ZG1' });
    expect(silent.status).toBe(422);
    expect(silent.body.errors[0]?.message).toBe('Camera cam-in-1: the camera is offline');
    expect(pushes).toHaveLength(0);
    expect(await ask('PATCH', '/cameras/cam-in-1', { online: true })).toMatchObject({ body: { online: true } });
    expect(await ask('POST', '/cameras/cam-in-1/read', { plate: 'ZG1' })).toMatchObject({ body: { status: 200 } });
  });

  it('does not pretend to speak for vendors it does not know', async () => {
    const answer = await ask('POST', '/cameras/cam-other/read', { plate: 'ZG1' });
    expect(answer.status).toBe(422);
    expect(answer.body.errors[0]?.message).toContain('driver unheard-of is not simulated');
  });

  it.each([
    ['GET', '/products/a4c138000009', undefined],
    ['PATCH', '/products/a4c138000009', { battery: 1 }],
    ['PATCH', '/products/a4c138000001?gateway=0d3c2a54-5a1f-4b7e-9a51-3f1f6f0b7c09', { rssi: -60 }],
    ['POST', '/cameras/cam-9/read', { plate: 'ZG1' }],
    ['PATCH', '/cameras/cam-9', { online: true }],
    ['GET', '/elsewhere', undefined],
    ['DELETE', '/products/a4c138000001', undefined],
  ])('%s %s is 404 code 6', async (method, path, body) => {
    const answer = await ask(method, path, body);
    expect(answer).toMatchObject({ status: 404, body: { success: false, errors: [{ code: 6 }] } });
  });

  it.each([
    ['PATCH', '/products/a4c138000001', { battery: 101 }, ['battery']],
    ['PATCH', '/products/a4c138000001', { battery: '50', rssi: -200, loss: 1.5 }, ['battery', 'rssi', 'loss']],
    ['PATCH', '/products/a4c138000001', { car_on_top: 1, answer_delay_ms: -1 }, ['car_on_top', 'answer_delay_ms']],
    ['PATCH', '/products/a4c138000001', { moves: 0, state: 'opened' }, ['moves', 'state']],
    ['PATCH', '/products/a4c138000001?gateway=north', { rssi: -60 }, ['gateway']],
    ['PATCH', '/products/a4c138000001', '{', ['body']],
    ['PATCH', '/products/a4c138000001', [], ['body']],
    ['POST', '/cameras/cam-in-1/read', {}, ['plate']],
    ['POST', '/cameras/cam-in-1/read', { plate: '' }, ['plate']],
    ['POST', '/cameras/cam-in-1/read', { plate: 'A\u0001', make: 'B\n' }, ['plate', 'make']],
    ['POST', '/cameras/cam-in-1/read', { plate: 'A', direction: 'forward' }, ['direction']],
    ['POST', '/cameras/cam-in-1/read', { plate: 'A', confidence: 97, repeat: 1.5 }, ['confidence', 'repeat']],
    ['POST', '/cameras/cam-in-1/read', { plate: 'A', type: 'tank', country_code: 'HRV' }, ['type', 'country_code']],
    ['POST', '/cameras/cam-in-1/read', { plate: 'A', colour: 'red' }, ['colour']],
    ['PATCH', '/cameras/cam-in-1', { online: 'yes' }, ['online']],
  ])('%s %s %j is 422 code 23 naming %j', async (method, path, body, fields) => {
    const answer = await ask(method, path, body);
    expect(answer.status).toBe(422);
    expect(fieldsOf(answer)).toEqual(fields);
    expect(answer.body.errors.every((error) => error.code === 23 && error.message !== '')).toBe(true);
  });

  it('leaves nothing running when a part cannot start', async () => {
    const radio = { ...sim.radio, close: vi.fn() };
    const occupied = { host: '127.0.0.1', port: sim.controlPort! };
    const carPark = {
      gateways: [],
      products: [{ ...BARRIER, device_id: 'a4c138000002' as ProductDeviceId }],
      cameras: [],
      parkingGateways: [],
      displays: [],
    };
    const options = { carPark, agents: { byGateway: new Map() }, radio, control: occupied };
    await expect(createEmulatedSim(options)).rejects.toThrow(/cannot listen on 127\.0\.0\.1:\d+: the port is taken/);
    expect(sim.radio.attached().map(({ name }) => name)).toEqual(['a4c138000001']);
    expect(radio.close).not.toHaveBeenCalled();
  });

  it('lets in who has the token alone, where it has one', async () => {
    const token = 'a-token-of-sixteen';
    const listener = await listenControl(sim.controlApp, { host: '0.0.0.0', port: 0, token });
    const statusOf = async (authorization: string | null) => {
      const headers = authorization === null ? {} : { authorization };
      return (await fetch(`http://127.0.0.1:${listener.port}/`, { headers })).status;
    };
    try {
      expect(await statusOf(null)).toBe(401);
      expect(await statusOf(`Bearer ${token}x`)).toBe(401);
      expect(await statusOf(`Bearer ${token}`)).toBe(200);
      await expect(listenControl(sim.controlApp, { host: '0.0.0.0', port: 0 })).rejects.toThrow('--control-token');
    } finally {
      await listener.close();
    }
  });
});

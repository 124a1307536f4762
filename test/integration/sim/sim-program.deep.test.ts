import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { readSiteFile } from '../../../cloud/doors/site-file/read-site-file.js';
import { silentLogger } from '../../../shared/logger.js';
import { carParkOf } from '../../../scripts/sim/car-park.js';
import { listenHttp } from '../../../scripts/sim/http-listener.js';
import { startTestGateway } from './sim-gateway.js';
import { freePorts } from '../../world/free-ports.js';

const PROGRAM = fileURLToPath(new URL('../../../scripts/sim/main.js', import.meta.url));
const UUID = '0d3c2a54-5a1f-4b7e-9a51-3f1f6f0b7c01';

const siteOf = (cameraPort: number) => `
version: 1
accounts:
  - name: Harbour Parking
    lots:
      - name: North
        timezone: Europe/Zagreb
        gateways:
          - {uuid: ${UUID}, name: Entrance Pi}
        zones:
          - name: Level 0
            products:
              - {device_id: a4c138000001, name: Entry barrier, type: barrier, is_autoclose: 1, autoclose_time: 255, master_key: "${'07'.repeat(32)}"}
              - {device_id: a4c138000002, name: Exit gate, type: gate, power_type: mains, master_key: "${'08'.repeat(32)}"}
              - {device_id: a4c138000003, name: Bollard, type: bollard}
            lpr_cameras:
              - {device_id: cam-in-1, name: Entry camera, driver: hikvision, address: "http://127.0.0.1:${cameraPort}", push_key: key, timezone: Europe/Zagreb, lpr_position: in, gateway: Entrance Pi}
`;

const ended = async (child: ChildProcess) => (await once(child, 'close'))[0] as number | null;

describe('carParkOf', () => {
  it('is what the site file has and the simulator can play', () => {
    const warned = vi.fn();
    const park = carParkOf(readSiteFile('site.yaml', siteOf(9001)).site, { ...silentLogger, warn: warned });
    expect(park.gateways).toEqual([UUID]);
    expect(park.products.map(({ device_id, type, autoclose }) => ({ device_id, type, autoclose }))).toEqual([
      { device_id: 'a4c138000001', type: 'barrier', autoclose: { on: true, seconds: 255 } },
      { device_id: 'a4c138000002', type: 'gate', autoclose: { on: true, seconds: 10 } },
      { device_id: 'a4c138000003', type: 'bollard', autoclose: { on: true, seconds: 10 } },
    ]);
    expect(park.products.map(({ master_key }) => master_key)).toEqual([
      new Uint8Array(32).fill(7),
      new Uint8Array(32).fill(8),
      null,
    ]);
    expect(park.cameras).toMatchObject([
      { device_id: 'cam-in-1', gateway_uuid: UUID, lpr_position: 'in', plate_side: 'front' },
    ]);
    expect(warned).not.toHaveBeenCalled();
  });

  it('refuses two cameras of one name, which two accounts may have', () => {
    const one = siteOf(9001);
    const other = one
      .replace(/^\s*version: 1\s*accounts:/, '')
      .replaceAll(/(a4c13800000)/g, 'b4c13800000')
      .replace('Harbour Parking', 'Other')
      .replace('7c01', '7c02');
    const { site } = readSiteFile('site.yaml', one + other);
    expect(() => carParkOf(site, silentLogger)).toThrow('two cameras of the site file are called cam-in-1');
  });
});

describe('parking-sim', () => {
  let folder: string;
  let program: ChildProcess | undefined;
  let output: { out: string; err: string };
  let ports: { camera: number; control: number };

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parking-sim-'));
    const [camera = 0, control = 0] = await freePorts(2);
    ports = { camera, control };
    await writeFile(join(folder, 'site.yaml'), siteOf(ports.camera));
  });

  afterEach(async () => {
    program?.kill('SIGKILL');
    program = undefined;
    await rm(folder, { recursive: true });
  });

  function start(...more: string[]): ChildProcess {
    output = { out: '', err: '' };
    const control = `127.0.0.1:${ports.control}`;
    const options = [
      '--site',
      join(folder, 'site.yaml'),
      '--radio',
      join(folder, 'radio'),
      '--control',
      control,
      ...more,
    ];
    const child = spawn(process.execPath, [PROGRAM, ...options], { stdio: ['ignore', 'pipe', 'pipe'] });
    child.stdout.on('data', (chunk) => (output.out += chunk));
    child.stderr.on('data', (chunk) => (output.err += chunk));
    program = child;
    return child;
  }

  const ready = () => expect.poll(() => output.out).toContain('ready');

  it('plays the car park of a site file until it is told to stop', async () => {
    const pushes: string[] = [];
    const agent = await listenHttp(
      (request) => {
        pushes.push(new URL(request.url).pathname);
        return new Response();
      },
      { host: '127.0.0.1', port: 0 },
    );
    const child = start('--agent', `${UUID}=http://127.0.0.1:${agent.port}`);
    await ready();
    expect(output.out).toMatch(/a4c138000003 {3}Bollard, not paired; label_secret [0-9a-f]{32}\n/);

    const control = `http://127.0.0.1:${ports.control}`;
    const read = await fetch(`${control}/cameras/cam-in-1/read`, { method: 'POST', body: '{"plate":"ZG1234AB"}' });
    expect(await read.json()).toEqual({ status: 200 });
    expect(pushes).toEqual(['/lpr/hikvision/cam-in-1/key']);
    expect((await fetch(`http://127.0.0.1:${ports.camera}/ISAPI/System/deviceInfo`)).status).toBe(200);

    const { products } = carParkOf(readSiteFile('site.yaml', siteOf(1)).site, silentLogger);
    const gateway = await startTestGateway({ kind: 'sim', path: join(folder, 'radio'), name: UUID });
    const outcome = await gateway.run(products[0]!, { name: 'open' }, '00000001');
    expect(outcome).toMatchObject({ kind: 'answered', block: { result: { kind: 'ok' }, state: 'opened' } });
    const barrier = await fetch(`${control}/products/a4c138000001`);
    expect(await barrier.json()).toMatchObject({ state: 'opened', moves: 1 });
    await gateway.radio.close();

    child.kill('SIGTERM');
    expect(await ended(child)).toBe(0);
    expect(existsSync(join(folder, 'radio'))).toBe(false);
    await agent.close();
  });

  it('plays traffic, says its seed, and lets its speed be changed', async () => {
    const exit = `              - {device_id: cam-out-1, name: Exit camera, driver: hikvision, push_key: key-2, timezone: Europe/Zagreb, lpr_position: out, gateway: Entrance Pi}\n`;
    await writeFile(join(folder, 'site.yaml'), siteOf(ports.camera) + exit);
    start('--traffic', '0', '--seed', '4711', '--from', '07:30');
    await ready();
    expect(output.out).toContain('traffic   seed 4711, 0 times as fast');
    const address = `http://127.0.0.1:${ports.control}/traffic`;
    const change = async (body: object) => {
      const answer = await fetch(address, { method: 'PATCH', body: JSON.stringify(body) });
      return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
    };
    expect(await (await fetch(address)).json()).toMatchObject({ seed: 4711, speed: 0, inside: 0 });
    expect(await change({ inside: [{ plate: 'ZG1234AB' }], speed: 2 })).toMatchObject({
      status: 200,
      body: { speed: 2, inside: 1 },
    });
    expect((await change({ speed: 61 })).status).toBe(422);
  });

  it('says that traffic needs an entry and an exit: bad input', async () => {
    const child = start('--traffic');
    expect(await ended(child)).toBe(2);
    expect(output.err).toContain('one at its entry and one at its exit; the site file has none');
  });

  it('stops on Ctrl-C too', async () => {
    const child = start();
    await ready();
    child.kill('SIGINT');
    expect(await ended(child)).toBe(0);
  });

  it('tells where a site file is wrong: bad input', async () => {
    await writeFile(join(folder, 'site.yaml'), siteOf(ports.camera).replace('type: gate', 'type: door'));
    expect(await ended(start())).toBe(2);
    expect(output.err).toMatch(/^parking-sim: .*site\.yaml:14: .*type: must be barrier/);
    expect(output.err.trimEnd().split('\n')).toHaveLength(1);
  });

  it('tells that there is no site file: bad input', async () => {
    await rm(join(folder, 'site.yaml'));
    expect(await ended(start())).toBe(2);
    expect(output.err).toMatch(/^parking-sim: cannot read the site file .*site\.yaml \(ENOENT.*\)\n$/);
  });

  it('tells what is in its way: failed', async () => {
    const occupied = await listenHttp(() => new Response(), { host: '127.0.0.1', port: ports.control });
    expect(await ended(start())).toBe(1);
    const lines = output.err.trimEnd().split('\n');
    expect(lines.at(-1)).toMatch(/^parking-sim: cannot listen on 127\.0\.0\.1:\d+: the port is taken/);
    expect(output.err).not.toContain('    at ');

    expect(await ended(start('--debug'))).toBe(1);
    expect(output.err).toContain('    at ');
    await occupied.close();
  });
});

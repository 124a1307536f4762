/** `parking-agent doctor` of two gateways of a lot: each fault that is planted in its products, cameras, sensors and displays is named by its own line. */
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DoctorReport, doctorReportSchema } from '../../shared/doctor/report.js';
import { waitUntil } from '../../scripts/sim/wait-until.js';
import { freePorts } from '../world/free-ports.js';
import { startProgram } from '../world/programs.js';
import { TEST_SITE } from '../world/site.js';
import { createWorld, type World } from '../world/world.js';

const { barrier, gate, entryCamera, exitCamera } = TEST_SITE;
/** The contract, "Problems". */
const PROBLEM_WITHIN_MS = 90_000;

let world: World;
let strangers: Server;
beforeAll(async () => {
  world = await createWorld({ driver: 'programs', secondGateway: true });
  strangers = createServer(({ url = '' }, response) => {
    const { host } = { host: '127.0.0.1:9443' };
    if (kind === 'page') response.end('<html><title>Router login</title></html>');
    else if (kind === 'redirect') response.writeHead(301, { location: `https://${host}${url}` }).end();
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => strangers.listen(0, '127.0.0.1', resolve));
}, 180_000);
afterAll(async () => {
  strangers.closeAllConnections();
  strangers.close();
  await world.close();
});

let kind: 'page' | 'redirect' | 'nothing' = 'page';

const envOf = (name: 'agent' | 'agent-2') => ({
  AGENT_DATA_DIR: join(world.dataDir, name),
  AGENT_HTTP_PORT: new URL(name === 'agent' ? world.agentUrl : (world.secondGateway?.url ?? '')).port,
});

async function run(words: string[], name: 'agent' | 'agent-2' = 'agent') {
  const program = startProgram('agent/main.js', words, envOf(name));
  const { code } = await program.ended;
  return { code, output: program.output() };
}

const ask = async (name: 'agent' | 'agent-2' = 'agent'): Promise<DoctorReport> =>
  doctorReportSchema.parse(JSON.parse((await run(['doctor', '--json'], name)).output));

const linesOf = ({ findings }: DoctorReport): string[] =>
  findings.map(({ id, about }) => `${id} ${about ?? ''}`.trim());

/** Waits until doctor has the line, and prints it as people read it. */
async function expectLine(line: string, name: 'agent' | 'agent-2' = 'agent'): Promise<DoctorReport> {
  const report = await waitUntil(
    `doctor to say ${line}`,
    async () => {
      const asked = await ask(name);
      return linesOf(asked).includes(line) ? asked : null;
    },
    100_000,
  );
  const { output } = await run(['doctor'], name);
  const [id = ''] = line.split(' ');
  process.stdout.write(`${output.split('\n').find((each) => each.includes(`[${id}]`)) ?? `(${line})`}\n`);
  return report;
}

const goneLine = (line: string) =>
  waitUntil(`doctor not to say ${line}`, async () => !linesOf(await ask()).includes(line), 100_000);

const product = (id: string, change: object) => world.sim('PATCH', `/products/${id}`, change);
const post = (path: string, body = 'x') => fetch(`${world.agentUrl}${path}`, { method: 'POST', body });

describe('a product', () => {
  it('has a dirty sensor, or has lost its time', async () => {
    await product(barrier, { sensor_dirty: true, rtc_valid: false });
    await expectLine('product.dirty Entry barrier');
    await expectLine('product.no_clock Entry barrier');
    await product(barrier, { sensor_dirty: false, rtc_valid: true });
    await goneLine('product.dirty Entry barrier');
  });

  it('is jammed', async () => {
    await product(barrier, { jammed: true });
    await expectLine('product.jammed Entry barrier');
    await product(barrier, { jammed: false });
    await goneLine('product.jammed Entry barrier');
  });

  it('is held open, and held closed', async () => {
    const { body } = await world.api<{ data: { id: number; device_id: string }[] }>('/v2/products');
    const id = body.data.find(({ device_id }) => device_id === gate)?.id;
    const hold = (operation: string) => world.call('POST', `/v2/products/${id}/state`, { body: { operation } });
    await hold('stay_open');
    await expectLine('product.held_open Exit gate');
    await hold('clear_stay_open');
    await goneLine('product.held_open Exit gate');
    await hold('stay_close');
    await expectLine('product.held_closed Exit gate');
    await hold('clear_stay_close');
    await goneLine('product.held_closed Exit gate');
  });

  it('is heard by the other gateway of the lot alone: no failure here, and nothing is claimed', async () => {
    const uuid = TEST_SITE.secondGatewayUuid;
    await world.sim('PATCH', `/products/${barrier}?gateway=${uuid}`, { in_range: false });
    const report = await expectLine('product.elsewhere_unknown Entry barrier', 'agent-2');
    const unheard = report.findings.find(({ id }) => id === 'product.elsewhere_unknown');
    expect(unheard?.facts).toEqual({ gateways: 'Entrance Pi' });
    expect(report.findings.filter(({ level }) => level === 'failure')).toEqual([]);
    // The gateway whose camera opens it has to hear it.
    await product(barrier, { in_range: false });
    await expectLine('product.lost Entry barrier');
    await product(barrier, { in_range: true });
    await goneLine('product.lost Entry barrier');
  });
});

describe('a camera', () => {
  const idOf = async (deviceId: string) => {
    const { body } = await world.api<{ data: { id: number; device_id: string }[] }>('/v2/lpr-cameras');
    return body.data.find(({ device_id }) => device_id === deviceId)?.id ?? 0;
  };
  const problemOf = async (deviceId: string) =>
    (await world.api<{ data: { problem: string | null } }>(`/v2/lpr-cameras/${await idOf(deviceId)}`)).body.data
      .problem;

  it('pushes with an old key, and is well again after a good push', async () => {
    expect((await post(`/lpr/hikvision/${entryCamera}/old-key`)).status).toBe(404);
    await expectLine('camera.wrong_key Entry camera');
    await waitUntil(
      'the cloud to say so',
      async () => (await problemOf(entryCamera))?.includes('another key') === true,
      PROBLEM_WITHIN_MS,
    );
    await world.arrive('ZG111XY');
    await goneLine('camera.wrong_key Entry camera');
    await waitUntil('the cloud to be content', async () => (await problemOf(entryCamera)) === null, PROBLEM_WITHIN_MS);
  });

  it('pushes as another driver, in another form, or to the wrong gateway', async () => {
    await post(`/lpr/dahua/${entryCamera}/entry-push-key`);
    await expectLine('camera.wrong_driver Entry camera');
    expect((await post(`/lpr/hikvision/${entryCamera}/entry-push-key`, '<no xml')).status).toBe(200);
    await expectLine('camera.not_understood Entry camera');
    await post('/lpr/hikvision/cam-of-the-other/its-key');
    await expectLine('camera.misdirected');
    await world.arrive('ZG222XY');
    await goneLine('camera.not_understood Entry camera');
  });

  it('has a clock that is behind or ahead, before any vehicle comes, and right again', async () => {
    const seconds = async (off_s: number) => {
      await world.sim('PATCH', `/cameras/${exitCamera}`, { clock_off_s: off_s });
      const { findings } = await expectLine('camera.clock_wrong Exit camera');
      const { facts } = findings.find(({ id, about }) => id === 'camera.clock_wrong' && about === 'Exit camera') ?? {};
      return Math.sign(Number(facts?.['off_s']));
    };
    expect([await seconds(-180), await seconds(180)]).toEqual([-1, 1]);
    await world.sim('PATCH', `/cameras/${exitCamera}`, { clock_off_s: 0 });
    await goneLine('camera.clock_wrong Exit camera');
  });

  it('has something else at its address, nothing of its interface, or a redirection', async () => {
    const id = await idOf(exitCamera);
    const { body } = await world.api<{ data: { address: string } }>(`/v2/lpr-cameras/${id}`);
    const address = `http://127.0.0.1:${(strangers.address() as AddressInfo).port}`;
    await world.call('PATCH', `/v2/lpr-cameras/${id}`, { body: { address, password: 'secret' } });
    await expectLine('camera.stranger Exit camera');
    kind = 'nothing';
    await expectLine('camera.no_interface Exit camera');
    kind = 'redirect';
    await expectLine('camera.redirects Exit camera');
    await world.call('PATCH', `/v2/lpr-cameras/${id}`, { body: { address: body.data.address, password: 'secret' } });
    await goneLine('camera.redirects Exit camera');
  });

  it('is found by the name that a finding gives', async () => {
    const { output, code } = await run(['cameras', 'clock', 'entry CAMERA']);
    expect([code, output]).toEqual([0, expect.stringContaining('clock')]);
    expect((await run(['sensors', 'test', 'guidance'])).output).toContain('A1');
    expect((await run(['cameras', 'clock', 'Nobody'])).output).toContain(
      'this gateway has no camera Nobody: Entry camera, Exit camera',
    );
  });
});

describe('where nobody answers', () => {
  it('the reason is with the cloud within 90 s, for each driver, for sensors and displays', async () => {
    const [closed = 0] = await freePorts(1);
    const { body: gateways } = await world.api<{ data: { id: number; lot_id: number; name: string }[] }>(
      '/v2/gateways',
    );
    const own = gateways.data.find(({ name }) => name === 'Entrance Pi');
    const { body: zones } = await world.api<{ data: { id: number }[] }>('/v2/zones');
    const at = { gateway_id: own?.id };
    const camera = { ...at, zone_id: zones.data[0]?.id, lpr_position: 'in', plate_side: 'front' };
    const make = async (path: string, body: object) =>
      `${path}/${(await world.call<{ data: { id: number } }>('POST', path, { body })).body.data.id}`;
    const account = { username: 'admin', password: 'x' };
    const asked = ['hikvision', 'dahua', 'onvif', 'axis', 'uniview'].map((driver) => ({ driver, ...account }));
    const others = [{ driver: 'milesight', push_key: 'a-push-key-1' }, { driver: 'frigate' }];
    const made = await Promise.all([
      ...[...asked, ...others].map(({ driver, ...settings }) => {
        const address = `${driver === 'frigate' ? 'mqtt' : 'http'}://127.0.0.1:${closed}`;
        const named = { device_id: `dead-${driver}`, name: `Dead ${driver}` };
        return make('/v2/lpr-cameras', { ...camera, ...settings, ...named, driver, address });
      }),
      make('/v2/rgb-displays', {
        ...at,
        lot_id: own?.lot_id,
        name: 'Dead sign',
        driver: 'http',
        address: `http://127.0.0.1:${closed}/`,
      }),
    ]);
    const startedMs = Date.now();
    for (const path of made)
      await waitUntil(
        `the problem of ${path}`,
        async () => (await world.api<{ data: { problem: string | null } }>(path)).body.data.problem !== null,
        PROBLEM_WITHIN_MS,
      );
    expect(Date.now() - startedMs).toBeLessThan(PROBLEM_WITHIN_MS);
    for (const path of made) await world.call('DELETE', path);
  });
});

it('a product that has another key than the cloud says', async () => {
  const file = join(world.dataDir, 'site.yaml');
  writeFileSync(file, readFileSync(file, 'utf8').replace('2b'.repeat(32), '3c'.repeat(32)));
  const applied = startProgram('cloud/main.js', ['apply', file], { DATA_DIR: join(world.dataDir, 'cloud') });
  expect((await applied.ended).code).toBe(0);
  await expectLine('product.other_key Exit gate');
});

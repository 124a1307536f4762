/** `parking-agent doctor` beside a real gateway in a world of programs: what it says of a healthy site, and of each thing that is broken on purpose. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { createServer as createTlsServer, type Server as TlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger } from '../../shared/logger.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadAgentConfig } from '../../agent/config.js';
import { createLogRing } from '../../agent/health/log-ring.js';
import { startGateway } from '../../agent/gateway-lives.js';
import { type DoctorReport, doctorReportSchema } from '../../shared/doctor/report.js';
import type { Clock } from '../../shared/clock.js';
import { systemClock } from '../../shared/system-clock.js';
import { waitUntil } from '../../scripts/sim/wait-until.js';
import { buildDiskShim, hasCompiler } from '../faults/disk-shim.js';
import { freePorts } from '../world/free-ports.js';
import { startProgram } from '../world/programs.js';
import { TEST_SITE } from '../world/site.js';
import { createWorld, type World } from '../world/world.js';

let world: World;
let scratch: string;

beforeAll(async () => {
  scratch = mkdtempSync(join(tmpdir(), 'doctor-'));
  world = await createWorld({ driver: 'programs' });
}, 180_000);
afterAll(async () => {
  await world.close();
  rmSync(scratch, { recursive: true, force: true });
});

const dataDir = () => join(world.dataDir, 'agent');
const portOf = (url: string) => new URL(url).port;

interface Reported {
  code: number | null;
  output: string;
  report: DoctorReport;
}

/** Runs the program twice: for people, whose output is printed, and for programs. */
async function doctor(env: Record<string, string>, ...words: string[]): Promise<Reported> {
  const people = startProgram('agent/main.js', ['doctor', ...words], env);
  const { code } = await people.ended;
  const programs = startProgram('agent/main.js', ['doctor', '--json', ...words], env);
  await programs.ended;
  const report = doctorReportSchema.parse(JSON.parse(programs.output()));
  process.stdout.write(`--- ${expect.getState().currentTestName}\n${people.output()}\n`);
  return { code, output: people.output(), report };
}

const ownEnv = () => ({ AGENT_DATA_DIR: dataDir(), AGENT_HTTP_PORT: portOf(world.agentUrl) });
const ask = (...words: string[]) => doctor(ownEnv(), ...words);

/** What is not well: `id about`. */
const troubles = ({ findings }: DoctorReport): string[] =>
  findings.filter(({ level }) => level !== 'ok').map(({ id, about }) => (about === null ? id : `${id} ${about}`));

/** Asks until the trouble is told, and expects it to be told to people with what to do. */
async function expectTrouble(trouble: string, env: () => Record<string, string> = ownEnv): Promise<Reported> {
  await waitUntil(`doctor to say ${trouble}`, async () => {
    const asked = startProgram('agent/main.js', ['doctor', '--json'], env());
    await asked.ended;
    return troubles(doctorReportSchema.parse(JSON.parse(asked.output()))).includes(trouble);
  });
  const reported = await doctor(env());
  expect(troubles(reported.report)).toContain(trouble);
  expect(reported.output).toContain(`[${trouble.split(' ')[0]}]`);
  const isFailure = reported.report.findings.some(({ level }) => level === 'failure');
  expect(reported.code).toBe(isFailure ? 1 : 0);
  return reported;
}

const untilWell = () =>
  waitUntil('doctor to find nothing', async () => {
    const asked = startProgram('agent/main.js', ['doctor', '--json'], ownEnv());
    await asked.ended;
    return troubles(doctorReportSchema.parse(JSON.parse(asked.output()))).length === 0;
  });

describe('a healthy site', () => {
  it('has nothing but what is well, and a test plate moves and keeps nothing', async () => {
    await world.arrive('ZG777XY');
    await world.leave('ZG777XY');
    await world.settled();
    await untilWell();
    const before = await world.api<{ meta: { total: number } }>('/v2/plate-readings');
    const moves = async () => (await world.sim<{ moves: number }>('GET', `/products/${TEST_SITE.barrier}`)).moves;
    const movedBefore = await moves();
    const { code, report, output } = await ask('--plate', TEST_SITE.memberPlate, '--camera', 'Entry camera');
    expect(code).toBe(0);
    expect(troubles(report)).toEqual([]);
    expect(report.is_running).toBe(true);
    expect(report.took_ms).toBeLessThan(15_000);
    expect(output).not.toContain('\u001b');
    expect(report.findings).toContainEqual({
      id: 'decision.opens',
      level: 'ok',
      about: 'Entry camera',
      facts: { plate: TEST_SITE.memberPlate, reason: 'whitelist', product: 'Entry barrier' },
    });
    expect(await moves()).toBe(movedBefore);
    expect((await world.api<{ meta: { total: number } }>('/v2/plate-readings')).body.meta).toEqual(before.body.meta);
  });
});

describe('what is broken at the site', () => {
  const restart = async () => {
    await world.stopAgent();
    await world.startAgent();
  };

  it('a product that was not heard since the start, and one that is heard weakly', async () => {
    await world.sim('PATCH', `/products/${TEST_SITE.gate}`, { in_range: false });
    await world.sim('PATCH', `/products/${TEST_SITE.barrier}`, { rssi: -92 });
    await restart();
    const { report } = await expectTrouble('product.weak Entry barrier');
    expect(troubles(report)).toContain('product.never_seen Exit gate');
    // No read has come since the start.
    expect(troubles(report)).toContain('camera.quiet Entry camera');
  });

  it('a product that is out of range', async () => {
    await world.sim('PATCH', `/products/${TEST_SITE.gate}`, { in_range: true });
    await world.sim('PATCH', `/products/${TEST_SITE.barrier}`, { rssi: -55 });
    await world.settled();
    await world.sim('PATCH', `/products/${TEST_SITE.gate}`, { in_range: false });
    await waitUntil(
      'the gate to be lost',
      async () => {
        const { products } = await world.agentStatus();
        return products.find(({ device_id }) => device_id === TEST_SITE.gate)?.status === 'offline';
      },
      120_000,
    );
    const { report } = await expectTrouble('product.lost Exit gate');
    expect(troubles(report)).not.toContain('product.weak Entry barrier');
    await world.sim('PATCH', `/products/${TEST_SITE.gate}`, { in_range: true });
    await world.settled();
  });

  it('a product that does not open is found by its cycle, and one that does moves twice', async () => {
    const moves = async () => (await world.sim<{ moves: number }>('GET', `/products/${TEST_SITE.barrier}`)).moves;
    // It may stand open from before.
    await startProgram('agent/main.js', ['doctor', '--cycle', 'Entry barrier', '--yes'], ownEnv()).ended;
    const before = await moves();
    const refused = startProgram('agent/main.js', ['doctor', '--cycle', 'Entry barrier'], ownEnv());
    expect((await refused.ended).code).toBe(2);
    expect(refused.output()).toContain('--cycle: this opens and closes Entry barrier; add --yes');
    expect(await moves()).toBe(before);
    const cycled = startProgram('agent/main.js', ['doctor', '--cycle', 'entry barrier', '--yes'], ownEnv());
    await cycled.ended;
    expect(cycled.output()).toMatch(/^ok +opening +Entry barrier: opened in \d+ s and closed in \d+ s$/m);
    expect(await moves()).toBe(before + 2);
    await world.sim('PATCH', `/products/${TEST_SITE.gate}`, { jammed: true });
    const jammed = startProgram('agent/main.js', ['doctor', '--cycle', TEST_SITE.gate, '--yes'], ownEnv());
    expect((await jammed.ended).code).toBe(1);
    expect(jammed.output()).toMatch(/^failure +opening +Exit gate: did not open: .*\[cycle\.failed\]$/m);
    await world.sim('PATCH', `/products/${TEST_SITE.gate}`, { jammed: false });
    const unknown = startProgram('agent/main.js', ['doctor', '--cycle', 'Nobody', '--yes'], ownEnv());
    expect((await unknown.ended).code).toBe(1);
    expect(unknown.output()).toContain('this gateway has no product Nobody: Entry barrier, Exit gate');
  });

  it('a camera that is down, and one that refuses the password', async () => {
    await world.sim('PATCH', `/cameras/${TEST_SITE.entryCamera}`, { online: false });
    await expectTrouble('camera.offline Entry camera');
    await world.sim('PATCH', `/cameras/${TEST_SITE.entryCamera}`, { online: true });
    const { body } = await world.api<{ data: { id: number; device_id: string }[] }>('/v2/lpr-cameras');
    const camera = body.data.find(({ device_id }) => device_id === TEST_SITE.exitCamera);
    await world.call('PATCH', `/v2/lpr-cameras/${camera?.id}`, { body: { password: 'wrong' } });
    await expectTrouble('camera.refused Exit camera');
    await world.call('PATCH', `/v2/lpr-cameras/${camera?.id}`, { body: { password: 'secret' } });
  });

  it('a sensor that is silent', async () => {
    await world.sim('PATCH', '/places/A1', { silent: true });
    await expectTrouble('sensor.silent Guidance');
    await world.sim('PATCH', '/places/A1', { silent: false });
  });

  it('a display that is down', async () => {
    const [closed = 0] = await freePorts(1);
    const { body: gateways } = await world.api<{ data: { id: number; lot_id: number }[] }>('/v2/gateways');
    const [gateway] = gateways.data;
    const made = await world.call<{ data: { id: number } }>('POST', '/v2/rgb-displays', {
      body: {
        name: 'Sign',
        lot_id: gateway?.lot_id,
        gateway_id: gateway?.id,
        driver: 'http',
        address: `http://127.0.0.1:${closed}/`,
      },
    });
    await expectTrouble('display.fault Sign');
    await world.call('DELETE', `/v2/rgb-displays/${made.body.data.id}`);
  });

  it('the cloud keeps the report, and asks for another', async () => {
    const { body } = await world.api<{ data: { id: number }[] }>('/v2/gateways');
    const path = `/v2/gateways/${body.data[0]?.id}/doctor`;
    const asked = await world.call<{ data: { asked_at: string } }>('POST', path);
    const kept = await waitUntil('the report', async () => {
      const { data } = (await world.api<{ data: { at: string; report: DoctorReport } | null }>(path)).body;
      return data !== null && data.at >= asked.body.data.asked_at ? data : null;
    });
    expect(kept.report.findings.map(({ id }) => id)).toContain('session.ok');
    await world.call('POST', path, { statuses: [429] });
  });
});

describe('what is broken at the device', () => {
  let server: Server;
  let tls: TlsServer;
  afterAll(async () => {
    for (const each of [server, tls]) {
      each.closeAllConnections();
      await new Promise((resolve) => each.close(resolve));
    }
  });
  const listening = async (each: Server | TlsServer) => {
    await new Promise<void>((resolve) => each.listen(0, '127.0.0.1', resolve));
    return (each.address() as AddressInfo).port;
  };

  /** A device whose gateway does not run, with the identity of the world's gateway, changed. */
  function copyOf(
    name: string,
    change: (cloud: { url: string; mqtt: { url: string; password: string; ca: string | null } }) => void,
  ) {
    const directory = join(scratch, name);
    mkdirSync(directory);
    const identity = JSON.parse(readFileSync(join(dataDir(), 'identity.json'), 'utf8'));
    change(identity.cloud);
    writeFileSync(join(directory, 'identity.json'), JSON.stringify(identity), { mode: 0o600 });
    return { AGENT_DATA_DIR: directory, AGENT_HTTP_PORT: '1' };
  }

  it('it does not run, and belongs to no cloud', async () => {
    const { report } = await expectTrouble('gateway.unclaimed', () => ({
      AGENT_DATA_DIR: join(scratch, 'new'),
      AGENT_HTTP_PORT: '1',
    }));
    expect(troubles(report)).toEqual(['gateway.not_running', 'gateway.unclaimed']);
  });

  it('its identity is damaged', async () => {
    const env = copyOf('damaged', () => undefined);
    writeFileSync(join(env.AGENT_DATA_DIR, 'identity.json'), '{');
    await expectTrouble('gateway.identity_damaged', () => env);
  });

  it('the name of its cloud is not found', async () => {
    const env = copyOf('names', (cloud) => (cloud.url = 'https://cloud.invalid'));
    // What the name servers of this machine say of it is theirs.
    const { report } = await expectTrouble('cloud.unreachable cloud.invalid:443', () => env);
    expect(troubles(report).some((each) => each.startsWith('dns.'))).toBe(true);
  });

  it('a login page stands in between, or the cloud is not well', async () => {
    let status = 302;
    server = createServer((_request, response) =>
      response.writeHead(status, { location: 'http://login.invalid/hello' }).end(),
    );
    const port = await listening(server);
    const env = copyOf('portal', (cloud) => (cloud.url = `http://127.0.0.1:${port}`));
    const { report } = await expectTrouble(`cloud.portal 127.0.0.1:${port}`, () => env);
    expect(report.findings.find(({ id }) => id === 'cloud.portal')?.facts).toEqual({
      answer: '302 → http://login.invalid',
    });
    status = 503;
    await expectTrouble(`cloud.unwell 127.0.0.1:${port}`, () => env);
  });

  it('certificates that end soon, have ended, or are of somebody else', async () => {
    const certificate = (name: string, days: number) => {
      const [key, cert] = [join(scratch, `${name}.key`), join(scratch, `${name}.pem`)];
      const subject = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1'];
      const request = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', ...subject];
      execFileSync('openssl', [...request, '-days', String(days), '-keyout', key, '-out', cert], { stdio: 'ignore' });
      return { key: readFileSync(key), cert: readFileSync(cert), path: cert };
    };
    const near = certificate('near', 5);
    const healthy = JSON.stringify({ success: true, data: { status: 'ok' } });
    tls = createTlsServer(near, (_request, response) => response.end(healthy));
    const port = await listening(tls);
    const env = (name: string, ca: string | null, trusted?: string) => ({
      ...copyOf(name, (cloud) => {
        cloud.url = `https://127.0.0.1:${port}`;
        cloud.mqtt = { ...cloud.mqtt, url: `mqtts://127.0.0.1:${port}`, ca };
      }),
      ...(trusted === undefined ? {} : { NODE_EXTRA_CA_CERTS: trusted }),
    });
    const soon = env('near-end', near.cert.toString(), near.path);
    const { report } = await expectTrouble(`certificate.near_end 127.0.0.1:${port}`, () => soon);
    expect(troubles(report)).toEqual([
      'gateway.not_running',
      `certificate.near_end 127.0.0.1:${port}`,
      `certificate.near_end 127.0.0.1:${port}`,
      'authority.near_end',
    ]);
    const strange = env('strange', null);
    await expectTrouble(`certificate.refused 127.0.0.1:${port}`, () => strange);
    const fixtures = new URL('../../../test/fixtures/tls/', import.meta.url);
    tls.setSecureContext({
      key: readFileSync(new URL('broker-key.pem', fixtures)),
      cert: readFileSync(new URL('expired-cert.pem', fixtures)),
    });
    const ended = env('ended', readFileSync(new URL('expired-cert.pem', fixtures), 'utf8'));
    const { report: reported } = await expectTrouble(`certificate.ended 127.0.0.1:${port}`, () => ended);
    expect(troubles(reported)).toContain('authority.ended');
  });

  it('the broker refuses it', async () => {
    await world.stopAgent();
    const file = join(dataDir(), 'identity.json');
    const kept = readFileSync(file, 'utf8');
    const identity = JSON.parse(kept);
    identity.cloud.mqtt.password = 'wrong';
    writeFileSync(file, JSON.stringify(identity));
    await world.startAgent();
    const { report } = await expectTrouble(`broker.refused 127.0.0.1:${world.brokerPort}`);
    expect(troubles(report)).toContain('session.none');
    await world.stopAgent();
    writeFileSync(file, kept);
  });

  it.each([
    ['its Bluetooth is off', 'off', 'radio.off'],
    ['its Bluetooth does not work', 'sim:/nowhere/radio.sock', 'radio.unavailable'],
  ])('%s', async (_what, BLE_HCI, trouble) => {
    const program = startProgram('agent/main.js', ['run'], { ...ownEnv(), BLE_HCI });
    try {
      await expectTrouble(trouble);
    } finally {
      await program.end();
    }
  });

  it('its store was damaged', async () => {
    const directory = join(scratch, 'quarantine');
    mkdirSync(directory);
    writeFileSync(join(directory, 'agent.db'), 'no database at all'.repeat(1_000));
    const env = { AGENT_DATA_DIR: directory, AGENT_HTTP_PORT: portOf(world.agentUrl), BLE_HCI: 'off' };
    const program = startProgram('agent/main.js', ['run'], env);
    try {
      await expectTrouble('store.quarantined', () => env);
    } finally {
      await program.end();
    }
  });

  it.runIf(hasCompiler())('its disk is full', async () => {
    await world.stopAgent();
    const control = join(scratch, 'control');
    writeFileSync(control, '');
    const shim = {
      LD_PRELOAD: buildDiskShim(scratch),
      SHIM_DIR: dataDir(),
      SHIM_CONTROL: control,
      SHIM_TRACE: join(scratch, 'trace'),
    };
    const program = startProgram('agent/main.js', ['run'], { ...ownEnv(), BLE_HCI: 'off', ...shim });
    try {
      await waitUntil('the gateway', async () => (await fetch(`${world.agentUrl}/status`)).ok);
      writeFileSync(control, 'write_errno 28\nsync_errno 28\n');
      // Nobody notices before something is written.
      await Promise.all([
        world.arrive('ZG888XY'),
        // It ends by itself with the first write that succeeds.
        waitUntil('doctor to say that nothing can be kept', async () => {
          const asked = startProgram('agent/main.js', ['doctor'], ownEnv());
          const { code } = await asked.ended;
          return code === 1 && asked.output().includes('[store.failed]');
        }),
      ]);
    } finally {
      writeFileSync(control, '');
      await program.end();
    }
  });

  it('its clock is in 1970, and later its queue grows old while the cloud is down', async () => {
    await world.stopCloud();
    let offMs = -systemClock.now();
    let passedMs = 0;
    const clock: Clock = {
      ...systemClock,
      now: () => systemClock.now() + offMs,
      monotonic: () => systemClock.monotonic() + passedMs,
      setTimer: systemClock.setTimer,
    };
    const config = loadAgentConfig({
      flags: { agentDataDir: dataDir(), agentHttpPort: portOf(world.agentUrl), bleHci: 'off' },
      workingDirectory: scratch,
    } as never);
    const start = () =>
      startGateway(config, {
        logger: silentLogger,
        logs: createLogRing({ id: 'test' }),
        overrides: { clock, groundClock: systemClock },
      });
    const first = await start();
    try {
      const { report } = await expectTrouble('clock.unknown');
      expect(report.findings.map(({ id }) => id)).toEqual(
        expect.arrayContaining(['cloud.unreachable', 'broker.unreachable', 'session.none', 'radio.off']),
      );
      // The cloud is away, and all the rest of it follows.
      expect(report.findings.find(({ id }) => id === 'session.none')?.follows?.id).toBe('cloud.unreachable');
      offMs = 0;
      await world.arrive('ZG999XY');
      // The wait counts, whatever the clock of the device shows meanwhile.
      passedMs = 11 * 60_000;
      await expectTrouble('queue.old');
    } finally {
      await first.close();
    }
  });
});

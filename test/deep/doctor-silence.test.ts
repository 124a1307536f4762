/**
 * `parking-agent doctor` at a gateway that runs, with everything around it silent at once: name servers, cloud, broker, every camera, and the
 * products. It ends within six seconds. The device is a network namespace of its own, whose cable leads to a host that passes nothing on.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inGroups } from '../../shared/doctor/in-groups.js';
import { type DoctorReport, doctorReportSchema } from '../../shared/doctor/report.js';
import { waitUntil } from '../../scripts/sim/wait-until.js';
import { freePorts } from '../world/free-ports.js';
import { startProgram } from '../world/programs.js';
import { TEST_SITE } from '../world/site.js';
import { createWorld, type World } from '../world/world.js';

const NETNS = `silence${process.pid}`;
const HOSTS_END = '10.99.8.1';
const SILENT = '198.51.100.1';
const CAMERAS = 20;
const WITHIN_MS = 6_000;
/** How long the program that asks takes to start; on a machine that runs other tests as well, longer. */
const STARTS_WITHIN_MS = 1_000;

const isRoot = process.getuid?.() === 0;
const ip = (...words: string[]) => execFileSync('ip', words, { stdio: 'pipe' });
const inside = (...words: string[]) => ip('-n', NETNS, ...words);
const within = ['ip', 'netns', 'exec', NETNS];

/** Cameras at addresses where nobody is, which the simulated car park does not know. */
async function addCameras(world: World): Promise<void> {
  const firstOf = async (path: string) => (await world.api<{ data: { id: number }[] }>(path)).body.data[0]?.id;
  const [zone_id, gateway_id] = [await firstOf('/v2/zones'), await firstOf('/v2/gateways')];
  for (let number = 1; number <= CAMERAS; number += 1) {
    const address = `http://198.51.100.${number + 10}`;
    const names = { device_id: `cam-${number}`, name: `Camera ${number}`, driver: 'hikvision' };
    await world.call('POST', '/v2/lpr-cameras', {
      body: { zone_id, gateway_id, ...names, address, username: 'admin', password: 'secret' },
    });
  }
  const known = async () => (await world.agentStatus()).cameras.length > CAMERAS;
  await waitUntil('the gateway to know the cameras', known, 30_000);
}

describe.runIf(isRoot)('everything silent at once', () => {
  let world: World;
  let scratch: string;
  let radio: string;

  beforeAll(async () => {
    scratch = mkdtempSync(join(tmpdir(), 'doctor-silence-'));
    ip('netns', 'add', NETNS);
    ip('link', 'add', 'silence-out', 'type', 'veth', 'peer', 'name', 'eth9', 'netns', NETNS);
    ip('addr', 'add', `${HOSTS_END}/24`, 'dev', 'silence-out');
    ip('link', 'set', 'silence-out', 'up');
    inside('link', 'set', 'lo', 'up');
    inside('addr', 'add', '10.99.8.2/24', 'dev', 'eth9');
    inside('link', 'set', 'eth9', 'up');
    inside('route', 'replace', 'default', 'via', HOSTS_END);
    mkdirSync(`/etc/netns/${NETNS}`, { recursive: true });
    writeFileSync(`/etc/netns/${NETNS}/resolv.conf`, `nameserver ${SILENT}\n`);
    world = await createWorld({ driver: 'programs' });
    await addCameras(world);
    const environment = readFileSync(`/proc/${world.agentPid()}/environ`, 'utf8').split('\0');
    radio = environment.find((each) => each.startsWith('BLE_HCI='))?.slice('BLE_HCI='.length) ?? 'off';
    await world.stopAgent();
    for (const product of [TEST_SITE.barrier, TEST_SITE.gate])
      await world.sim('PATCH', `/products/${product}`, { in_range: false });
  }, 180_000);
  afterAll(async () => {
    await world?.close();
    ip('netns', 'delete', NETNS);
    rmSync(`/etc/netns/${NETNS}`, { recursive: true, force: true });
    rmSync(scratch, { recursive: true, force: true });
  });

  /** The gateway as it was, moved to where nobody answers. */
  async function moved(name: string, cloud: { url: string; mqtt: string }) {
    const AGENT_DATA_DIR = join(scratch, name);
    cpSync(join(world.dataDir, 'agent'), AGENT_DATA_DIR, { recursive: true });
    const file = join(AGENT_DATA_DIR, 'identity.json');
    const identity = JSON.parse(readFileSync(file, 'utf8')) as { cloud: { url: string; mqtt: { url: string } } };
    identity.cloud.url = cloud.url;
    identity.cloud.mqtt.url = cloud.mqtt;
    writeFileSync(file, JSON.stringify(identity));
    const [port] = await freePorts(1);
    return { AGENT_DATA_DIR, AGENT_HTTP_PORT: String(port), BLE_HCI: radio };
  }

  async function doctor(env: Record<string, string>): Promise<{ report: DoctorReport; tookMs: number }> {
    const startedMs = performance.now();
    const program = startProgram('agent/main.js', ['doctor', '--json'], env, [], undefined, within);
    await program.ended;
    return { report: doctorReportSchema.parse(JSON.parse(program.output())), tookMs: performance.now() - startedMs };
  }

  it.each([
    ['names', { url: 'https://cloud.example', mqtt: 'mqtts://broker.example:8883' }],
    ['addresses', { url: `https://${SILENT}`, mqtt: `mqtts://${SILENT}:8883` }],
  ])('is told within six seconds, where cloud and broker are %s', { timeout: 90_000 }, async (name, cloud) => {
    const env = await moved(name, cloud);
    const gateway = startProgram('agent/main.js', ['run'], env, [], undefined, within);
    try {
      const runs = async () => ((await doctor(env)).report.is_running ? true : null);
      await waitUntil('the gateway to run', runs, 40_000);
      const { report, tookMs } = await doctor(env);
      process.stdout.write(`${name}: the checks took ${report.took_ms} ms, the command ${Math.round(tookMs)} ms\n`);
      const heads = inGroups(report.findings).flatMap(({ finding: { id, level } }) => (level === 'ok' ? [] : id));
      process.stdout.write(`${[...new Set(heads)].join(' ')}\n`);
      expect(report.took_ms).toBeLessThan(WITHIN_MS - STARTS_WITHIN_MS);
      expect(report.is_running).toBe(true);
      expect(heads).toContain(name === 'names' ? 'dns.silent' : 'cloud.unreachable');
      expect(heads.filter((id) => id === 'camera.offline').length).toBeGreaterThanOrEqual(CAMERAS);
      expect(heads).not.toContain('check.late');
    } finally {
      await gateway.end();
    }
  });
});

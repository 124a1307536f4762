/**
 * `parking-agent doctor` on a device whose network is broken on purpose: in a network namespace of its own, with real name servers, clouds and
 * brokers at the other end of its cable. The gateway does not run: whoever stands before it runs doctor alone.
 */
import { execFileSync } from 'node:child_process';
import { createSocket, type Socket as UdpSocket } from 'node:dgram';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createHttp, type RequestListener } from 'node:http';
import { createServer as createHttps } from 'node:https';
import { createServer as createTcp, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer as createTls } from 'node:tls';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openIdentity } from '../../agent/commissioning/identity.js';
import { inGroups } from '../../shared/doctor/in-groups.js';
import { type DoctorReport, doctorReportSchema } from '../../shared/doctor/report.js';
import { answerTo } from '../world/name-server.js';
import { startProgram } from '../world/programs.js';

const NETNS = `doctor${process.pid}`;
const HOSTS_END = '10.99.7.1';
const DEVICE = '10.99.7.2';
/** Behind the other end, which passes nothing on: nobody answers. */
const SILENT = '198.51.100.1';
const SILENT_V6 = 'fd99:7:dead::1';
const HEALTHY = JSON.stringify({ success: true, data: { status: 'ok' } });

const isRoot = process.getuid?.() === 0;
const ip = (...words: string[]) => execFileSync('ip', words, { stdio: 'pipe' });
const inside = (...words: string[]) => ip('-n', NETNS, ...words);

let scratch: string;
const servers: (Server | UdpSocket)[] = [];

beforeAll(() => {
  scratch = mkdtempSync(join(tmpdir(), 'doctor-network-'));
  if (!isRoot) return;
  ip('netns', 'add', NETNS);
  ip('link', 'add', 'doctor-out', 'type', 'veth', 'peer', 'name', 'eth9', 'netns', NETNS);
  ip('addr', 'add', `${HOSTS_END}/24`, 'dev', 'doctor-out');
  ip('-6', 'addr', 'add', 'fd99:7::1/64', 'dev', 'doctor-out', 'nodad');
  ip('link', 'set', 'doctor-out', 'up');
  mkdirSync(`/etc/netns/${NETNS}`, { recursive: true });
});
afterAll(() => {
  rmSync(scratch, { recursive: true, force: true });
  if (!isRoot) return;
  ip('netns', 'delete', NETNS);
  rmSync(`/etc/netns/${NETNS}`, { recursive: true, force: true });
});
beforeEach(() => {
  if (!isRoot) return;
  inside('link', 'set', 'lo', 'up');
  inside('addr', 'flush', 'dev', 'eth9');
  inside('addr', 'add', `${DEVICE}/24`, 'dev', 'eth9');
  inside('-6', 'addr', 'add', 'fd99:7::2/64', 'dev', 'eth9', 'nodad');
  inside('link', 'set', 'eth9', 'up');
  inside('route', 'replace', 'default', 'via', HOSTS_END);
  inside('-6', 'route', 'replace', 'default', 'via', 'fd99:7::1');
  nameServers(HOSTS_END);
});
afterEach(async () => {
  for (const server of servers.splice(0)) {
    if ('closeAllConnections' in server && typeof server.closeAllConnections === 'function')
      server.closeAllConnections();
    await new Promise<void>((resolve) => void server.close(() => resolve()));
  }
});

const nameServers = (...addresses: string[]) =>
  writeFileSync(`/etc/netns/${NETNS}/resolv.conf`, addresses.map((each) => `nameserver ${each}\n`).join(''));

async function listening(server: Server, host = HOSTS_END): Promise<number> {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  return (server.address() as { port: number }).port;
}

const healthy: RequestListener = (_request, response) => response.end(HEALTHY);
const cloud = (answer: RequestListener = healthy) => listening(createHttp(answer));
const broker = () => listening(createTcp((socket) => socket.on('error', () => undefined)));

/** A name server that answers with the addresses of a table; null: it is silent. A name without any is denied. */
async function dns(names: Record<string, string[]> | null, address = HOSTS_END): Promise<void> {
  const socket = createSocket('udp4');
  socket.on('message', (question, from) => {
    if (names !== null) socket.send(answerTo(question, names), from.port, from.address);
  });
  servers.push(socket);
  await new Promise<void>((resolve) => socket.bind(53, address, resolve));
}

let devices = 0;

/** A device that was claimed at these addresses. @returns the settings of its program */
function device(url: string, mqtt: { url: string; ca?: string } = { url: `mqtt://${HOSTS_END}:1` }) {
  const directory = join(scratch, `device-${(devices += 1)}`);
  mkdirSync(directory);
  openIdentity(join(directory, 'identity.json')).joined({
    url,
    mqtt: { url: mqtt.url, username: '0d3c2a54-5a1f-4b7e-9a51-3f1f6f0b7c01', password: 'secret', ca: mqtt.ca ?? null },
  });
  return { AGENT_DATA_DIR: directory };
}

interface Reported {
  report: DoctorReport;
  output: string;
  /** `id about`, of what is not well and stands for itself. */
  heads: string[];
  /** The ids of what follows from another one. */
  following: string[];
}

/** What every device here has: its gateway does not run. What the machine of the test is like is not looked at. */
const OF_THE_MACHINE = /^(?:gateway\.not_running|disk|wear|power|heat|memory|clock\.(?:un|no_))/;

async function doctor(env: Record<string, string>): Promise<Reported> {
  const run = async (...words: string[]) => {
    const program = startProgram('agent/main.js', ['doctor', ...words], env, [], undefined, [
      'ip',
      'netns',
      'exec',
      NETNS,
    ]);
    await program.ended;
    return program.output();
  };
  const [output, json] = await Promise.all([run(), run('--json')]);
  process.stdout.write(`--- ${expect.getState().currentTestName}\n${output}\n`);
  const report = doctorReportSchema.parse(JSON.parse(json));
  const bad = inGroups(report.findings).filter(
    ({ finding }) => finding.level !== 'ok' && !OF_THE_MACHINE.test(finding.id),
  );
  return {
    report,
    output,
    heads: bad.map(({ finding: { id, about } }) => (about === null ? id : `${id} ${about}`)),
    following: bad.flatMap(({ following }) => following.map(({ id }) => id)),
  };
}

const factsOf = ({ report }: Reported, id: string) => report.findings.find((each) => each.id === id)?.facts;

function certificate(name: string, names: string) {
  const [key, cert] = [join(scratch, `${name}.key`), join(scratch, `${name}.pem`)];
  const subject = ['-subj', `/CN=${name}`, '-addext', `subjectAltName=${names}`];
  const request = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', ...subject];
  execFileSync('openssl', [...request, '-days', '90', '-keyout', key, '-out', cert], { stdio: 'ignore' });
  return { key: readFileSync(key), cert: readFileSync(cert), path: cert };
}

describe.runIf(isRoot)('a network', () => {
  it('in order has no finding, within a second', async () => {
    await dns({ 'cloud.example': [HOSTS_END], 'broker.example': [HOSTS_END] });
    const env = device(`http://cloud.example:${await cloud()}`, { url: `mqtt://broker.example:${await broker()}` });
    const reported = await doctor(env);
    expect(reported.heads).toEqual([]);
    expect(reported.report.took_ms).toBeLessThan(1_000);
  });

  it('without a way out is in order where the cloud is in it, and by its rules of routing', async () => {
    inside('route', 'delete', 'default');
    inside('-6', 'route', 'delete', 'default');
    const env = device(`http://${HOSTS_END}:${await cloud()}`, { url: `mqtt://${HOSTS_END}:${await broker()}` });
    expect((await doctor(env)).heads).toEqual([]);
    inside('route', 'add', 'default', 'via', HOSTS_END, 'table', '77');
    inside('rule', 'add', 'from', 'all', 'lookup', '77');
    try {
      const far = device(`http://${SILENT}`, { url: `mqtt://${SILENT}:1883` });
      expect((await doctor(far)).heads).toEqual([`cloud.unreachable ${SILENT}:80`]);
    } finally {
      inside('rule', 'delete', 'from', 'all', 'lookup', '77');
      inside('route', 'flush', 'table', '77');
    }
    const reported = await doctor(device(`http://${SILENT}`, { url: `mqtt://${SILENT}:1883` }));
    expect([reported.heads, reported.following]).toEqual([
      ['network.no_route'],
      ['cloud.unreachable', 'broker.unreachable'],
    ]);
  });

  it('away is one failure, and the rest follows', async () => {
    inside('link', 'set', 'eth9', 'down');
    inside('addr', 'flush', 'dev', 'eth9');
    const reported = await doctor(device('https://cloud.example', { url: 'mqtts://broker.example:8883' }));
    expect([reported.heads, reported.following]).toEqual([
      ['network.down'],
      ['dns.silent', 'cloud.unreachable', 'broker.unreachable'],
    ]);
    expect(reported.output).toMatch(
      /^failure {2}└ cloud +cloud\.example:443: is not reached: its name has no address/m,
    );
  });
});

describe.runIf(isRoot)('a name server', () => {
  const env = () => device('http://cloud.example:80', { url: 'mqtt://cloud.example:1883' });

  it('silent for all is named, within six seconds', async () => {
    await dns(null);
    const reported = await doctor(env());
    expect([reported.heads, reported.following]).toEqual([['dns.silent'], ['cloud.unreachable', 'broker.unreachable']]);
    expect(factsOf(reported, 'dns.silent')).toEqual({ servers: HOSTS_END });
    expect(reported.report.took_ms).toBeLessThan(6_000);
  });

  it('silent beside one that answers is a warning', async () => {
    const [port, mqtt] = [await cloud(), await broker()];
    await dns({ 'cloud.example': [HOSTS_END] });
    nameServers(SILENT, HOSTS_END);
    const reported = await doctor(device(`http://cloud.example:${port}`, { url: `mqtt://cloud.example:${mqtt}` }));
    expect(reported.heads).toEqual(['dns.slow']);
    expect(factsOf(reported, 'dns.slow')).toEqual({ servers: SILENT });
  });

  it('without the name is named', async () => {
    await dns({});
    const reported = await doctor(env());
    expect([reported.heads, reported.following]).toEqual([
      ['dns.no_such_name cloud.example'],
      ['cloud.unreachable', 'broker.unreachable'],
    ]);
    expect(factsOf(reported, 'dns.no_such_name')).toEqual({ server: HOSTS_END });
  });

  it('blocking the name is named', async () => {
    await dns({ 'cloud.example': ['0.0.0.0'] });
    const reported = await doctor(env());
    expect(reported.heads).toEqual(['dns.wrong cloud.example']);
    expect(factsOf(reported, 'dns.wrong')).toEqual({ server: HOSTS_END, answer: '0.0.0.0' });
  });

  it('never given is missed', async () => {
    nameServers();
    expect((await doctor(env())).heads).toEqual(['dns.no_server']);
  });
});

describe.runIf(isRoot)('cloud and broker', () => {
  it('with a name that has a dead IPv6 address, too', async () => {
    const [port, mqtt] = [await cloud(), await broker()];
    await dns({ 'cloud.example': [HOSTS_END, SILENT_V6] });
    const reported = await doctor(device(`http://cloud.example:${port}`, { url: `mqtt://cloud.example:${mqtt}` }));
    expect(reported.heads).toEqual([`network.dead_v6 cloud.example:${port}`, `network.dead_v6 cloud.example:${mqtt}`]);
    expect(factsOf(reported, 'network.dead_v6')).toEqual({ address: SILENT_V6 });
  });

  it('silent, both: each is a failure within six seconds', async () => {
    await dns({ 'cloud.example': [SILENT], 'broker.example': [SILENT] });
    const reported = await doctor(device('https://cloud.example', { url: 'mqtts://broker.example:8883' }));
    expect(reported.heads).toEqual(['cloud.unreachable cloud.example:443', 'broker.unreachable broker.example:8883']);
    expect(reported.report.took_ms).toBeLessThan(6_000);
  });

  it('behind a proxy that wants a password, in plain and in TLS', async () => {
    await dns({ 'cloud.example': [HOSTS_END] });
    const port = await cloud((_request, response) => response.writeHead(407, { 'proxy-authenticate': 'Basic' }).end());
    for (const scheme of ['http', 'https']) {
      const reported = await doctor(device(`${scheme}://cloud.example:${port}`));
      expect([reported.heads, reported.following]).toEqual([
        [`cloud.proxy cloud.example:${port}`],
        ['broker.unreachable'],
      ]);
    }
  });

  it('behind a login page that answers with its own certificate', async () => {
    await dns({ 'cloud.example': [HOSTS_END] });
    const port = await listening(createHttps(certificate('login.hotel', 'DNS:login.hotel'), healthy));
    const reported = await doctor(device(`https://cloud.example:${port}`));
    expect(reported.heads).toEqual([`certificate.foreign cloud.example:${port}`]);
    expect(factsOf(reported, 'certificate.foreign')).toEqual({ name: 'login.hotel', expected: 'cloud.example' });
  });

  it('with a broker that has a certificate of another name', async () => {
    await dns({ 'cloud.example': [HOSTS_END] });
    const own = certificate('old.example', 'DNS:old.example,DNS:older.example');
    const mqtt = await listening(createTls(own, (socket) => socket.on('error', () => undefined)));
    const ca = own.cert.toString();
    const reported = await doctor(
      device(`http://cloud.example:${await cloud()}`, { url: `mqtts://cloud.example:${mqtt}`, ca }),
    );
    expect(reported.heads).toEqual([`certificate.other_name cloud.example:${mqtt}`]);
    expect(factsOf(reported, 'certificate.other_name')).toEqual({
      name: 'old.example, older.example',
      expected: 'cloud.example',
    });
    expect(reported.output).toContain('whoever runs the cloud has to give it a certificate for cloud.example');
  });
});

/** The private authority as an operator makes it, and a gateway that was told it, at a broker with its certificates. */
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls, createServer as createTlsServer } from 'node:tls';
import { gzipSync } from 'node:zlib';
import { Aedes } from 'aedes';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { claimGateway } from '../../../agent/commissioning/claim.js';
import { openIdentity } from '../../../agent/commissioning/identity.js';
import { createMqttTransport } from '../../../agent/uplink/mqtt-transport.js';
import { createCloudLink } from '../../../agent/uplink/cloud-link.js';
import type { CommandIo } from '../../../cloud/doors/cli/apply.js';
import { runCaInit, runCaIssue } from '../../../cloud/doors/cli/ca.js';
import { openTlsFiles } from '../../../cloud/kernel/secrets/tls-files.js';
import type { Uid } from '../../../shared/ids.js';
import { type Logger, silentLogger } from '../../../shared/logger.js';
import { systemClock } from '../../../shared/system-clock.js';
import { waitUntil } from '../../../scripts/sim/wait-until.js';
import { tlsPlace } from '../../world/tls-fixtures.js';
import { NORTH_GATEWAY } from '../gateway/link-site.js';
import { DAY_MS } from '../../../shared/durations.js';

let directory: string;
let printed: string[];
const closers: (() => unknown)[] = [];
const io: CommandIo = {
  out: (line) => void printed.push(line),
  err: (line) => void printed.push(`! ${line}`),
  note: (line) => void printed.push(`! ${line}`),
};

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'private-ca-'));
  printed = [];
});
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
  rmSync(directory, { recursive: true, force: true });
});

const of = (...parts: string[]) => join(directory, ...parts);
const text = (...parts: string[]) => readFileSync(of(...parts), 'utf8');
const init = (more: { to?: string; name?: string; days?: string } = {}) =>
  runCaInit({ directory: of(more.to ?? 'ca'), name: 'Harbour', days: '7300', ...more }, { clock: systemClock }, io);
const issue = (hosts: string[], more: { from?: string; to?: string; days?: string; nowMs?: number } = {}) => {
  const { from = 'ca', to = 'ca', days = '730', nowMs } = more;
  const clock = nowMs === undefined ? systemClock : { ...systemClock, now: () => nowMs };
  return runCaIssue({ directory: of(from), to: of(to), hosts, days }, { clock }, io);
};
const certificateOf = (...parts: string[]) => new X509Certificate(text(...parts));

/** A broker with this certificate. @returns its TCP port */
async function startBroker(name: string): Promise<number> {
  const aedes = await Aedes.createBroker();
  const server = createTlsServer({ cert: text(`${name}.pem`), key: text(`${name}.key`) }, (socket) =>
    aedes.handle(socket),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closers.push(
    () => new Promise<void>((resolve) => aedes.close(() => resolve())),
    () => void server.close(),
  );
  return (server.address() as AddressInfo).port;
}

/** How a gateway's link ends up that was told this authority: `open`, or the reason that it logs. */
async function linkTo(url: string, ca: string): Promise<string> {
  let outcome = '';
  const logger: Logger = {
    ...silentLogger,
    warn: (fields) => {
      if ('reason' in fields) outcome = String(fields['reason']);
    },
  };
  const nothing = () => undefined;
  const link = createCloudLink({
    transport: createMqttTransport({ clock: systemClock }),
    clock: systemClock,
    logger,
    gatewayUuid: NORTH_GATEWAY,
    credentials: { url, username: NORTH_GATEWAY, password: 'x', ca },
    bootId: '0197b4c8-0000-7000-8000-000000000001' as Uid,
  });
  link.start({
    onOpen: () => void (outcome = 'open'),
    onEnd: nothing,
    onWelcome: nothing,
    onAck: nothing,
    onConfig: nothing,
    onCommand: nothing,
    onPairing: nothing,
    onAdmin: nothing,
    onDoctor: nothing,
    onAsk: nothing,
    onGreet: nothing,
  });
  closers.push(() => link.drop());
  link.open();
  await waitUntil('an outcome', () => outcome !== '');
  return outcome;
}

describe('a private authority', () => {
  it('issues what a gateway accepts that was told it: by name and by address', async () => {
    expect(await init()).toBe(0);
    expect(await issue(['localhost', '127.0.0.1', '::1', 'broker.example'])).toBe(0);
    const port = await startBroker('ca/localhost');
    const ca = text('ca', 'ca.pem');
    expect(await linkTo(`mqtts://localhost:${port}`, ca)).toBe('open');
    expect(await linkTo(`mqtts://127.0.0.1:${port}`, ca)).toBe('open');
    const certificate = certificateOf('ca', 'localhost.pem');
    expect(certificate.subjectAltName).toBe(
      'DNS:localhost, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1, DNS:broker.example',
    );
    expect(certificate.checkIssued(certificateOf('ca', 'ca.pem'))).toBe(true);
    expect(certificate.verify(certificateOf('ca', 'ca.pem').publicKey)).toBe(true);
    expect(printed.join('\n')).toContain(of('ca', 'localhost.pem'));
  });

  it('is what a cloud tells its gateways when its own broker has the certificate', async () => {
    await init();
    await issue(['cloud.example']);
    const place = tlsPlace(of('ca', 'cloud.example.pem'), of('ca', 'cloud.example.key'));
    const files = openTlsFiles(place, { clock: systemClock, logger: silentLogger });
    expect(files.ca).toBe(text('ca', 'ca.pem').trim());
  });

  it('is accepted by a device whose clock stands in 1970, and as long as was wished', async () => {
    await init({ days: '1000' });
    await issue(['localhost'], { days: '10' });
    for (const file of ['ca.pem', 'localhost.pem'])
      expect(certificateOf('ca', file).validFrom).toBe('Jan  1 00:00:00 1970 GMT');
    const daysOf = (file: string) => (Date.parse(certificateOf('ca', file).validTo) - systemClock.now()) / DAY_MS;
    expect(daysOf('ca.pem')).toBeCloseTo(1000, 1);
    expect(daysOf('localhost.pem')).toBeCloseTo(10, 1);
    await issue(['127.0.0.1'], { days: '9000' });
    expect(certificateOf('ca', '127.0.0.1.pem').validTo).toBe(certificateOf('ca', 'ca.pem').validTo);
  });

  it('may stand beside its successor in what a gateway is told, so that it can be changed', async () => {
    await init();
    await init({ to: 'next', name: 'Harbour next' });
    await issue(['localhost']);
    await issue(['localhost'], { from: 'next', to: 'next' });
    const both = text('ca', 'ca.pem') + text('next', 'ca.pem');
    for (const name of ['ca/localhost', 'next/localhost']) {
      const port = await startBroker(name);
      expect(await linkTo(`mqtts://localhost:${port}`, both)).toBe('open');
    }
  });

  it('protects a gateway from every other broker, and says in its log why', async () => {
    await init();
    await init({ to: 'other', name: 'Somebody else' });
    await issue(['other.example']);
    await issue(['localhost'], { from: 'other', to: 'other' });
    await issue(['localhost'], { to: 'old', days: '1', nowMs: systemClock.now() - 3 * DAY_MS });
    const ca = text('ca', 'ca.pem');
    const refusal = async (name: string) => linkTo(`mqtts://localhost:${await startBroker(name)}`, ca);
    expect(await refusal('ca/other.example')).toMatch(/certificate is refused: it is for other names .*other\.example/);
    expect(await refusal('other/localhost')).toMatch(/certificate is refused: it is of another authority/);
    expect(await refusal('old/localhost')).toMatch(/certificate is refused: it has expired: renew it/);
  });

  it('keeps its files to their owner, and overwrites none', async () => {
    await init();
    await issue(['localhost', '127.0.0.1']);
    for (const file of ['ca.pem', 'ca.key', 'localhost.pem', 'localhost.key'])
      expect([file, statSync(of('ca', file)).mode & 0o777]).toEqual([file, 0o600]);
    const before = ['ca.pem', 'ca.key', 'localhost.pem', 'localhost.key'].map((file) => text('ca', file));
    printed = [];
    expect(await init()).toBe(2);
    expect(await issue(['localhost'])).toBe(2);
    expect(printed).toEqual([
      expect.stringMatching(/^! .*ca\.pem is there already, and nothing is overwritten/),
      expect.stringMatching(/^! .*localhost\.pem is there already, and nothing is overwritten/),
    ]);
    expect(['ca.pem', 'ca.key', 'localhost.pem', 'localhost.key'].map((file) => text('ca', file))).toEqual(before);
  });

  it('makes nothing of bad wishes, and says what is wrong', async () => {
    expect(await issue(['localhost'])).toBe(2);
    expect(printed).toEqual([
      expect.stringMatching(/^! There is no authority in .*: make one with parking-cloud ca init/),
    ]);
    await init();
    for (const [hosts, reason] of [
      [[], /at least one/],
      [['mqtts://broker.example'], /mqtts:\/\/broker\.example is no host name/],
      [['broker example'], /is no host name/],
      [['a,DNS:evil.example'], /is no host name/],
      [['-x'], /is no host name/],
    ] as const) {
      printed = [];
      expect(await issue([...hosts])).toBe(2);
      expect(printed.join()).toMatch(reason);
    }
    printed = [];
    for (const days of ['0', 'x', '99999', '-1', '1.5']) expect(await issue(['localhost'], { days })).toBe(2);
    expect(await issue(['localhost'], { nowMs: systemClock.now() + 7301 * DAY_MS })).toBe(2);
    expect(printed.at(-1)).toMatch(/authority in .* ended on .*: make a new one/);
    for (const name of ['', 'a/CN=b', 'x'.repeat(65)]) expect(await init({ to: 'more', name })).toBe(2);
    expect(existsSync(of('more'))).toBe(false);
    writeFileSync(of('ca', 'ca.key'), 'damaged');
    expect(await issue(['localhost'])).toBe(2);
    expect(printed.at(-1)).toMatch(/authority in .* cannot be used/);
    expect(existsSync(of('ca', 'localhost.pem'))).toBe(false);
  });

  it('signs no further authority', async () => {
    await init();
    await issue(['localhost']);
    expect(certificateOf('ca', 'localhost.pem').ca).toBe(false);
    expect(certificateOf('ca', 'ca.pem').ca).toBe(true);
  });
});

describe('a certificate of the private authority', () => {
  it('serves servers that are clients of each other', async () => {
    await init();
    await issue(['localhost']);
    const pem = { cert: text('ca', 'localhost.pem'), key: text('ca', 'localhost.key'), ca: text('ca', 'ca.pem') };
    const server = createTlsServer({ ...pem, requestCert: true, rejectUnauthorized: true }, (socket) =>
      socket.end('hello'),
    );
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    closers.push(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const client = connectTls({ ...pem, host: 'localhost', port });
    const [said] = (await once(client, 'data')) as [Buffer];
    expect(said.toString()).toBe('hello');
    client.destroy();
  });
});

describe('a claim at a cloud with a certificate of a private authority', () => {
  it('trusts the authority that the claim file brought, and keeps it; without it the cloud is not heard', async () => {
    await init();
    await issue(['localhost']);
    const cert = { cert: text('ca', 'localhost.pem'), key: text('ca', 'localhost.key') };
    const mqtt = { url: 'mqtts://localhost:1', username: NORTH_GATEWAY, password: 'x', ca: null };
    let asked = 0;
    const server = createHttpsServer(cert, (request, response) => {
      asked += 1;
      request.resume();
      // As a service packs its answers.
      response.setHeader('content-encoding', 'gzip');
      response.end(gzipSync(JSON.stringify({ success: true, data: { mqtt, config: [] } })));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    closers.push(() => void server.close());
    const cloudUrl = `https://localhost:${(server.address() as AddressInfo).port}`;
    const identity = openIdentity(of('identity.json'));
    const claim = { identity, cloudUrl, code: 'HARBOUR-NORTH-0001' };
    await expect(claimGateway(claim)).rejects.toThrow('did not answer');
    expect(asked).toBe(0);
    const ca = text('ca', 'ca.pem');
    expect((await claimGateway({ ...claim, ca })).identity.uuid).toBe(NORTH_GATEWAY);
    expect(openIdentity(of('identity.json')).cloud).toEqual({ url: cloudUrl, mqtt, ca });
  });
});

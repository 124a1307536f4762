/** The listeners with TLS of their own: the built programs, a private authority, and somebody else's. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import type { IncomingHttpHeaders } from 'node:http';
import { get } from 'node:https';
import { connect as connectTcp } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { OpenAPIHono } from '@hono/zod-openapi';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import type { HttpEnv } from '../../../cloud/rest/request/http-env.js';
import { startHttpServer } from '../../../cloud/rest/server/http-server.js';
import { openTlsFiles } from '../../../cloud/kernel/secrets/tls-files.js';
import { openMqttSocket } from '../../../agent/uplink/mqtt-socket.js';
import { silentLogger } from '../../../shared/logger.js';
import { duringAttack } from '../../attack/during-attack.js';
import { holdSockets } from '../../attack/held-sockets.js';
import { FakeClock } from '../../world/fake-clock.js';
import { freePorts } from '../../world/free-ports.js';
import { type RunningProgram, startProgram } from '../../world/programs.js';
import { tlsFixture, tlsPlace, tlsText } from '../../world/tls-fixtures.js';
import { waitUntil } from '../../../scripts/sim/wait-until.js';

const TOKEN = 'harbour-integration-token-0123456789abcdef';
const CLAIM_CODE = 'HARBOUR-NORTH-0001';
const SITE = `version: 1
accounts:
  - name: Harbour
    users: [{email: o@harbour.example, password: "long pass phrase", name: Olga, role: Super Admin}]
    api_tokens: [{name: test, token: ${TOKEN}}]
    lots: [{name: North, gateways: [{name: Pi, claim_code: ${CLAIM_CODE}}]}]
`;

const ca = tlsText('authority.pem');

interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}

/** Asks over TLS. */
function ask(url: string, options: { ca: string; token?: string }): Promise<Answer> {
  const headers = options.token === undefined ? {} : { authorization: `Bearer ${options.token}` };
  return new Promise((resolve, reject) => {
    get(url, { ca: options.ca, headers, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
    }).on('error', reject);
  });
}

describe('a cloud with TLS of its own', () => {
  const programs: RunningProgram[] = [];
  let directory: string;
  let env: Record<string, string>;
  let base: string;
  let mqttPort: number;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'tls-'));
    const [port = 0, mqtt = 0] = await freePorts(2);
    mqttPort = mqtt;
    base = `https://127.0.0.1:${port}`;
    env = { DATA_DIR: join(directory, 'cloud'), PORT: String(port), MQTT_PORT: String(mqtt) };
    for (const prefix of ['', 'MQTT_']) {
      env[`${prefix}TLS_CERT`] = tlsFixture('server.pem');
      env[`${prefix}TLS_KEY`] = tlsFixture('server.key');
    }
    await writeFile(join(directory, 'site.yaml'), SITE);
    const applied = startProgram('cloud/main.js', ['apply', join(directory, 'site.yaml')], env);
    expect(await applied.ended, applied.output()).toMatchObject({ code: 0 });
    const cloud = startProgram('cloud/main.js', ['serve'], env);
    programs.push(cloud);
    await waitUntil('the cloud', () => cloud.output().includes('cloud is ready'));
    expect(cloud.output()).toContain(`"url":"${base}"`);
  });
  afterAll(async () => {
    for (const program of programs) await program.end();
    await rm(directory, { recursive: true, force: true });
  });

  it('answers who trusts its authority, over REST and WebSocket, and nobody without TLS', async () => {
    expect((await ask(`${base}/healthz`, { ca })).status).toBe(200);
    await expect(ask(`${base}/healthz`, { ca: tlsText('rogue.pem') })).rejects.toThrow(/certificate/);
    await expect(fetch(`${base.replace('https', 'http')}/healthz`)).rejects.toThrow();
    const socket = new WebSocket(`${base.replace('https', 'wss')}/v2/realtime?token=${TOKEN}`, { ca });
    const frame = await new Promise<string>((resolve, reject) => {
      socket.on('message', (data) => resolve(data.toString()));
      socket.on('error', reject);
    });
    expect(frame).toContain('"authorized"');
    socket.terminate();
  });

  it('tells browsers not to ask it without TLS again, whatever it answers', async () => {
    for (const path of ['/healthz', '/console', '/docs', '/openapi.json', '/v2/lots', '/v2/nothing']) {
      const { headers } = await ask(`${base}${path}`, { ca });
      expect([path, headers['strict-transport-security']]).toEqual([path, 'max-age=31536000']);
    }
  });

  it('speaks no TLS before 1.2', async () => {
    const socket = connectTls({
      host: '127.0.0.1',
      port: Number(new URL(base).port),
      ca,
      maxVersion: 'TLSv1.1',
      minVersion: 'TLSv1',
    });
    const failed = await new Promise((resolve) => {
      socket.on('error', (error) => resolve(error.message));
      socket.on('secureConnect', () => resolve('connected'));
    });
    expect(failed).not.toBe('connected');
    socket.destroy();
  });

  it('is joined by a gateway, which then knows the authority of its broker', async () => {
    const dataDir = join(directory, 'agent');
    const [port = 0] = await freePorts(1);
    // REST is trusted as the machine says; the broker as the claim says.
    const agentEnv = { AGENT_DATA_DIR: dataDir, AGENT_HTTP_PORT: String(port), BLE_HCI: 'off' };
    const claim = startProgram('agent/main.js', ['claim', '--cloud', base, '--code', CLAIM_CODE], {
      ...agentEnv,
      NODE_EXTRA_CA_CERTS: tlsFixture('authority.pem'),
    });
    expect(await claim.ended, claim.output()).toMatchObject({ code: 0 });
    const identity = JSON.parse(await readFile(join(dataDir, 'identity.json'), 'utf8')) as {
      cloud: { mqtt: { url: string; ca: string } };
    };
    expect(identity.cloud.mqtt).toMatchObject({ url: `mqtts://127.0.0.1:${mqttPort}`, ca: ca.trim() });
    programs.push(startProgram('agent/main.js', ['run'], agentEnv));
    await waitUntil('the gateway to be online', async () =>
      (await ask(`${base}/v2/gateways`, { ca, token: TOKEN })).text.includes('"status":"online"'),
    );
  });

  it('is refused by a gateway when somebody else stands in its place', async () => {
    const { socket, stream } = openMqttSocket({ url: `mqtts://127.0.0.1:${mqttPort}`, ca: tlsText('rogue.pem') });
    const error = await new Promise<Error>((resolve) => {
      stream.on('error', resolve);
      socket.on('secureConnect', () => resolve(new Error('connected')));
    });
    expect(error.message).toMatch(/certificate/);
    socket.destroy();
  });
});

describe('connections that never finish their handshake', () => {
  it('count in the shares, so that others come in', async () => {
    const clock = new FakeClock();
    const tls = openTlsFiles(tlsPlace(tlsFixture('server.pem'), tlsFixture('server.key')), {
      clock,
      logger: silentLogger,
    });
    const app = new OpenAPIHono<HttpEnv>();
    app.get('/', (c) => c.text('here'));
    const realtime = { handleUpgrade: async () => {}, close: async () => {} };
    const server = await startHttpServer({ app, realtime, host: '127.0.0.1', port: 0, clock, tls, socketsMax: 10 });
    await duringAttack(
      'handshakes that do not end',
      (order) => holdSockets({ port: server.port, count: 40 }, order),
      async () => {
        const first = connectTcp({ port: server.port, host: '127.0.0.1', localAddress: '127.0.0.2' });
        first.on('error', () => {}).resume();
        await new Promise((resolve) => first.once('close', resolve));
        for (let asked = 0; asked < 3; asked++)
          expect((await ask(`https://127.0.0.1:${server.port}/`, { ca })).text).toBe('here');
      },
    );
    await server.close();
  });
});

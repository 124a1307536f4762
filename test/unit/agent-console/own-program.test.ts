import { request } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { Hono } from 'hono';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  createCameraClockRoute,
  createCameraSetupRoute,
  createCameraTestRoute,
  createDisplayTestRoute,
  createReleaseRoute,
  createStatusRoute,
} from '../../../agent/console/local-routes.js';
import { createMetricsRoute } from '../../../agent/console/metrics-route.js';
import { type LocalServer, startLocalServer } from '../../../agent/console/local-server.js';
import { FORWARDING_HEADERS } from '../../fixtures/forwarding-headers.js';
import { camera } from '../lpr/plate-world.js';

const ROUTES = [
  ['GET', '/status', undefined],
  ['GET', '/metrics', undefined],
  ['POST', '/release', undefined],
  ['POST', '/release/clear', undefined],
  ['POST', '/camera-clock', { name: 'Entry' }],
  ['POST', '/camera-setup', { name: 'Entry', mode: 'plan' }],
  ['POST', '/camera-test', { name: 'Entry', step: 'probe' }],
  ['POST', '/display-test', { name: 'Gate', text: 'FULL' }],
] as const;

/** What a program says that this machine's own name or address leads to. */
const OWN = ['127.0.0.1', '127.0.0.1:80', 'localhost:8080', 'LocalHost', '[::1]:8080'];
const FOREIGN = ['evil.example', 'localhost.evil.example', '127.0.0.1.evil.example', '192.168.1.20'];

let server: LocalServer;
let done: string[];

beforeAll(async () => {
  const note = (what: string) => async () => {
    done.push(what);
    throw new Error('nobody is there');
  };
  const app = new Hono();
  const release = { release: note('/release'), clear: note('/release/clear'), close: async () => {} };
  const setup = note('/camera-setup');
  app.route('/', createStatusRoute(note('/status')));
  app.route('/', createMetricsRoute(note('/metrics')));
  app.route('/', createReleaseRoute(release));
  app.route('/', createCameraClockRoute({ camera: () => camera('Entry'), clocks: { measure: note('/camera-clock') } }));
  app.route('/', createCameraSetupRoute({ plan: setup, apply: setup, undo: setup }));
  app.route('/', createCameraTestRoute({ probe: note('/camera-test'), next: note('/camera-test') }));
  app.route('/', createDisplayTestRoute({ test: note('/display-test') }));
  app.onError((_error, context) => context.body(null, 200));
  server = await startLocalServer({ app, host: '127.0.0.1', port: 0 });
});
afterAll(() => server.close());
beforeEach(() => {
  done = [];
});

function ask(
  method: string,
  path: string,
  options: { host?: string; contentType?: string; body?: object | undefined; headers?: Record<string, string> },
): Promise<number | undefined> {
  const { host, contentType = 'application/json', body, headers } = options;
  return new Promise((resolve, reject) => {
    const sent = request({
      port: server.port,
      method,
      path,
      headers: { ...(host === undefined ? {} : { host }), 'content-type': contentType, ...headers },
      agent: false,
    });
    sent.once('error', reject);
    sent.once('response', (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

/** The status of what the listener answers to raw bytes, until it ends the connection. */
async function statusOf(head: readonly string[], body = ''): Promise<number> {
  const lines = [...head, 'Content-Type: application/json', `Content-Length: ${body.length}`, 'Connection: close'];
  const socket = connect(server.port, '127.0.0.1');
  socket.on('error', () => {});
  socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`);
  return Number((await text(socket)).split(' ')[1]);
}

describe.each(ROUTES)('%s %s', (method, path, body) => {
  it.each(OWN)('is served under the host %s', async (host) => {
    expect([await ask(method, path, { host, body }), done]).toEqual([200, [path]]);
  });

  it.each(FOREIGN)('is not there for a page whose name was made to lead here: "%s"', async (host) => {
    expect([await ask(method, path, { host, body }), done]).toEqual([404, []]);
  });

  const ofAnyPage = method === 'POST' ? ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data'] : [];
  it.each(ofAnyPage)('is not there for what any page may send: %s', async (contentType) => {
    expect([await ask(method, path, { contentType, body }), done]).toEqual([404, []]);
  });

  it.each(FORWARDING_HEADERS)('is not there for who asks by way of a proxy, which adds: %s', async (name) => {
    expect([await ask(method, path, { body, headers: { [name]: '' } }), done]).toEqual([404, []]);
  });

  const raw = (target: string, ...headers: string[]) =>
    statusOf([`${method} ${target} HTTP/1.1`, ...headers], body === undefined ? '' : JSON.stringify(body));
  const LOCAL = 'Host: localhost';

  it.each([
    ['another one behind it', path, [LOCAL, 'Host: evil.example']],
    ['another one before it', path, ['Host: evil.example', LOCAL]],
    ['the same one again', path, [LOCAL, 'hOST: localhost']],
    ['none', path, []],
    ['an address of another host', `http://evil.example${path}`, [LOCAL]],
    ['an address of this host, as another one', `http://localhost${path}`, ['Host: evil.example']],
  ])('is refused to who names %s', async (_what, target, headers) => {
    expect([await raw(target, ...headers), done]).toEqual([400, []]);
  });

  it('is served at an address of this host', async () => {
    expect([await raw(`http://localhost:8080${path}`, LOCAL), done]).toEqual([200, [path]]);
  });
});

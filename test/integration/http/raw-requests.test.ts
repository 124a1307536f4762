import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answerOf, errorOf } from '../../../cloud/rest/server/answer-socket.js';
import { createBoundedServer } from '../../../shared/node/bounded-server.js';
import { OWNER_TOKEN } from './http-site.js';
import { type RestWorld, startRestWorld } from './rest-world.js';

const WEBSOCKET = 'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AQEBAQEBAQEBAQEBAQEBAQ==\r\n';

describe('whatever comes over a socket', () => {
  let world: RestWorld;
  beforeAll(async () => {
    world = await startRestWorld();
  });
  afterAll(() => world.cloud.close());

  /** All that the server answers until it ends the connection. */
  async function answersTo(...parts: string[]): Promise<string> {
    const socket = connect(world.cloud.server.port, '127.0.0.1');
    let text = '';
    socket.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    socket.on('error', () => undefined);
    for (const part of parts) socket.write(part);
    await once(socket, 'close');
    return text;
  }

  function parsed(text: string) {
    const [head = '', body = ''] = text.split('\r\n\r\n');
    const [first = '', ...lines] = head.split('\r\n');
    const headers = new Map(
      lines.map((line) => [line.split(':', 1)[0]?.toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
    );
    return { status: Number(first.split(' ')[1]), headers, body };
  }

  const upgrade = (host: string, at = '') =>
    `GET ${at}/v2/realtime HTTP/1.1\r\n${host}Upgrade: websocket\r\nConnection: upgrade\r\n${WEBSOCKET}\r\n`;
  const END = 'Host: x\r\nConnection: close\r\n\r\n';

  it.each([
    ['no HTTP', 'hello\r\n\r\n', 400, 23],
    ['TLS', '\u0016\u0003\u0001\u0002\u0000\u0001\r\n\r\n', 400, 23],
    ['a header that is none', `GET /v2/zones HTTP/1.1\r\nbad header\r\n${END}`, 400, 23],
    ['two lengths', `POST /v2/groups HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n${END}`, 400, 23],
    ['headers that are too large', `GET /v2/zones HTTP/1.1\r\nX: ${'x'.repeat(20_000)}\r\n${END}`, 431, 23],
    ['an address that is too long', `GET /${'x'.repeat(20_000)} HTTP/1.1\r\n${END}`, 431, 23],
    ['lines that end with LF alone', 'GET /healthz HTTP/1.1\nHost: x\n\n', 400, 23],
    [
      'two ways to say how long it is',
      `POST /v2/groups HTTP/1.1\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n${END}`,
      400,
      23,
    ],
    ['no Host', 'GET /v2/zones HTTP/1.1\r\nConnection: close\r\n\r\n', 400, 23],
    ['two Hosts', `GET /healthz HTTP/1.1\r\nhost: y\r\n${END}`, 400, 23],
    ['two Hosts that are the same', `GET /healthz HTTP/1.1\r\nHOST: x\r\n${END}`, 400, 23],
    ['two Hosts of HTTP/1.0', `GET /healthz HTTP/1.0\r\nHost: y\r\n${END}`, 400, 23],
    ['an address of another host', `GET http://evil.example/healthz HTTP/1.1\r\n${END}`, 400, 23],
    ['an address of another host over TLS', `GET HTTPS://evil.example/healthz HTTP/1.1\r\n${END}`, 400, 23],
    ['an address whose host only looks the same', `GET http://x@evil.example/healthz HTTP/1.1\r\n${END}`, 400, 23],
    ['an address of no host', `GET http:///healthz HTTP/1.1\r\n${END}`, 400, 23],
    ['an address, and no Host', 'GET http://x/healthz HTTP/1.1\r\nConnection: close\r\n\r\n', 400, 23],
    ['an address, and no Host of HTTP/1.0', 'GET http://x/healthz HTTP/1.0\r\n\r\n', 400, 23],
    ['an address of another scheme', `GET ftp://x/healthz HTTP/1.1\r\n${END}`, 400, 23],
    ['a Host that is none', 'GET /v2/zones HTTP/1.1\r\nHost: a b\r\nConnection: close\r\n\r\n', 400, 23],
    ['a path with a backslash', `GET /v2\\zones HTTP/1.1\r\n${END}`, 400, 23],
    ['another expectation', `GET /v2/zones HTTP/1.1\r\nExpect: wonders\r\n${END}`, 417, 23],
    ['CONNECT', 'CONNECT example.com:443 HTTP/1.1\r\nHost: example.com\r\n\r\n', 404, 6],
    ['an unknown method', `PURGE /v2/zones HTTP/1.1\r\n${END}`, 404, 6],
    ['OPTIONS of all', `OPTIONS * HTTP/1.1\r\n${END}`, 400, 23],
    ['bad percent-encoding in a path', `GET /v2/zones/%zz HTTP/1.1\r\n${END}`, 401, 1],
    ['bad percent-encoding in an unknown path', `GET /%c3%28/%zz HTTP/1.1\r\n${END}`, 404, 6],
    ['no token', `GET /v2/zones HTTP/1.1\r\n${END}`, 401, 1],
    ['an upgrade with two Hosts', upgrade('Host: y\r\nHost: x\r\n'), 400, 23],
    ['an upgrade without a Host', upgrade(''), 400, 23],
    ['an upgrade at another host', upgrade('Host: x\r\n', 'http://evil.example'), 400, 23],
    [
      'an upgrade to nothing',
      `GET /v2/none HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: upgrade\r\n\r\n`,
      404,
      6,
    ],
  ])('%s is answered in the envelope', async (_what, request, status, code) => {
    const answer = parsed(await answersTo(request));
    expect([answer.status, answer.body]).toEqual([status, expect.stringMatching(/^\{"success":false,"errors":\[\{/)]);
    const { errors } = JSON.parse(answer.body) as { errors: { code: number; message: string }[] };
    expect(errors).toEqual([{ code, message: expect.stringMatching(/^[A-Z]/) }]);
    expect(answer.headers.get('content-type')).toBe('application/json');
    expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    expect(answer.headers.get('www-authenticate')).toBe(status === 401 ? 'Bearer' : undefined);
  });

  it('an address of the host that the header names is a path, whatever its port', async () => {
    for (const target of ['http://x/healthz', 'http://X:8080/healthz']) {
      const answer = parsed(await answersTo(`GET ${target} HTTP/1.1\r\n${END}`));
      expect([answer.status, answer.body]).toEqual([200, '{"success":true,"data":{"status":"ok"}}']);
    }
  });

  it('bad percent-encoding is no more than text', async () => {
    const bearer = `Authorization: Bearer ${OWNER_TOKEN}\r\n`;
    for (const [target, status] of [
      ['/v2/zones/%zz', 404],
      ['/v2/zones?filter=%zz', 422],
      ['/v2/zones?%zz=%c3%28', 422],
    ] as const) {
      const answer = parsed(await answersTo(`GET ${target} HTTP/1.1\r\n${bearer}${END}`));
      expect([target, answer.status, JSON.parse(answer.body)]).toEqual([
        target,
        status,
        expect.objectContaining({ success: false }),
      ]);
    }
  });

  it('what cannot be read after an answer ends the connection, and the answer before it stays whole', async () => {
    const text = await answersTo('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n', 'nonsense\r\n\r\n');
    // An answer of its own it has only where the one before it was sent already.
    expect(text).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*\{"success":true,"data":\{"status":"ok"\}\}(HTTP\/1\.1 400 .*|$)/);
  });

  it('a request that takes too long is answered in the envelope', async () => {
    const server = createBoundedServer({
      create: createServer,
      listener: () => {},
      timeouts: { requestTimeout: 50, headersTimeout: 50, connectionsCheckingInterval: 10 },
      answer: (refusal) => answerOf(errorOf(refusal)),
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    let text = '';
    socket.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    socket.write('GET /v2/zones HTTP/1.1\r\n');
    await once(socket, 'close');
    server.close();
    expect([parsed(text).status, JSON.parse(parsed(text).body)]).toEqual([
      408,
      { success: false, errors: [{ code: 23, message: 'The request took too long to arrive' }] },
    ]);
  });

  it('HEAD has the headers of GET alone', async () => {
    const bearer = `Authorization: Bearer ${OWNER_TOKEN}\r\n`;
    for (const [path, status] of [
      ['/healthz', 200],
      [`/v2/zones/${world.site.zone}`, 200],
      ['/v2/none', 404],
      ['/v2/zones/999999', 404],
    ] as const) {
      const answer = parsed(await answersTo(`HEAD ${path} HTTP/1.1\r\n${bearer}${END}`));
      expect([path, answer.status, answer.body]).toEqual([path, status, '']);
      expect(answer.headers.get('content-type')).toBe('application/json');
    }
  });

  it('a body that no endpoint takes is not waited for', async () => {
    const bearer = `Authorization: Bearer ${OWNER_TOKEN}\r\n`;
    for (const [start, status] of [
      ['POST /v2/none', 404],
      ['PUT /v2/zones', 404],
      ['POST /v2/api-tokens', 422],
    ] as const) {
      // The rest of the gigabyte never comes.
      const socket = connect(world.cloud.server.port, '127.0.0.1');
      let text = '';
      socket.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      socket.on('error', () => undefined);
      const length = status === 422 ? 2 : 1_000_000_000;
      socket.write(
        `${start} HTTP/1.1\r\n${bearer}Host: x\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n{}`,
      );
      await expect.poll(() => text).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
      socket.destroy();
    }
  });
});

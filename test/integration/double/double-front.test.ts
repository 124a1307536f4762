/** What comes over the front's sockets, beside the same over the service's own. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createFaults, type FaultRules, type Faults, faultRulesSchema } from '../../../scripts/sim/double/faults.js';
import { type Front, openFront } from '../../../scripts/sim/double/front.js';
import { IS_DEEP } from '../../depth.js';
import { OWNER_TOKEN, type RestWorld, startRestWorld } from '../http/rest-world.js';

const HOST = '127.0.0.1';
const END = 'Host: x\r\nConnection: close\r\n\r\n';
const BEARER = `Authorization: Bearer ${OWNER_TOKEN}\r\n`;

describe('the front of the double', () => {
  let world: RestWorld;
  let faults: Faults;
  let front: Front;

  beforeAll(async () => {
    world = await startRestWorld();
    faults = createFaults();
    front = await openFront({ host: HOST, port: 0, faults });
    front.leadTo(world.cloud.server.port);
  });
  afterEach(() => faults.set({ rules: [] }));
  afterAll(async () => {
    await front.close();
    await world.cloud.close();
  });

  const setFaults = (...rules: unknown[]) => faults.set(faultRulesSchema.parse({ rules }) satisfies FaultRules);

  function open(port: number): { socket: Socket; heard: () => string } {
    const socket = connect(port, HOST);
    let text = '';
    socket.setEncoding('latin1').on('data', (chunk: string) => (text += chunk));
    socket.on('error', () => undefined);
    return { socket, heard: () => text };
  }

  /** All that is answered until the connection ends. */
  async function answersTo(port: number, ...parts: (string | Buffer)[]): Promise<string> {
    const { socket, heard } = open(port);
    for (const part of parts) socket.write(part);
    await once(socket, 'close');
    return heard();
  }

  /** Without what is another one in each answer. */
  const constant = (text: string) =>
    text
      .replaceAll(/^(X-Request-Id): [0-9a-f-]{36}\r$/gim, '$1: an id')
      .replaceAll(/^(Date): .*\r$/gim, '$1: a date')
      .replaceAll(/^(RateLimit-Remaining|RateLimit-Reset|RateLimit): .*\r$/gim, '$1: moves');

  it.each([
    ['no HTTP', 'hello\r\n\r\n', 400],
    ['TLS', '\u0016\u0003\u0001\u0002\u0000\u0001\r\n\r\n', 400],
    ['a bad method', `G@T /v2/zones HTTP/1.1\r\n${END}`, 400],
    ['a null byte in a header', `GET /v2/zones HTTP/1.1\r\nX: a\u0000b\r\n${END}`, 400],
    ['two lengths', `POST /v2/groups HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n${END}`, 400],
    [
      'a length beside chunks',
      `POST /v2/groups HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n${END}0\r\n\r\n`,
      400,
    ],
    ['a bad chunk', `POST /v2/none HTTP/1.1\r\nTransfer-Encoding: chunked\r\n${END}zz\r\n`, 400],
    ['headers that are too large', `GET /v2/zones HTTP/1.1\r\nX: ${'x'.repeat(20_000)}\r\n${END}`, 431],
    ['an address that is too long', `GET /${'x'.repeat(20_000)} HTTP/1.1\r\n${END}`, 431],
    ['no Host', 'GET /v2/zones HTTP/1.1\r\nConnection: close\r\n\r\n', 400],
    ['a Host that is none', 'GET /v2/zones HTTP/1.1\r\nHost: a b\r\nConnection: close\r\n\r\n', 400],
    ['a path that is no ASCII', `GET /v2/z\u00f6nes HTTP/1.1\r\n${END}`, 400],
    ['a path with a backslash', `GET /v2\\zones HTTP/1.1\r\n${END}`, 400],
    ['another expectation', `GET /v2/zones HTTP/1.1\r\nExpect: wonders\r\n${END}`, 417],
    ['CONNECT', 'CONNECT example.com:443 HTTP/1.1\r\nHost: example.com\r\n\r\n', 404],
    ['an unknown method', `PURGE /v2/zones HTTP/1.1\r\n${END}`, 404],
    ['OPTIONS of all', `OPTIONS * HTTP/1.1\r\n${END}`, 400],
    ['HEAD', `HEAD /v2/zones HTTP/1.1\r\n${END}`, 401],
    ['HTTP/1.0 without a Host', 'GET /healthz HTTP/1.0\r\n\r\n', 200],
    ['nonsense after a request', 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\nnonsense\r\n\r\n', 200],
    ['a head that ends too soon', 'GET /healthz HTTP/1.1\r\nHost: x\r\n', 400],
    [
      'an upgrade to nothing',
      'GET /v2/none HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: upgrade\r\n\r\n',
      404,
    ],
  ])('answers %s as the service does', async (what, request, status) => {
    const bytes = Buffer.from(request, 'latin1');
    const ask = async (port: number) => {
      const { socket, heard } = open(port);
      if (what === 'a head that ends too soon') socket.end(bytes);
      else socket.write(bytes);
      await once(socket, 'close');
      return heard();
    };
    const [own, passed] = await Promise.all([ask(world.cloud.server.port), ask(front.port)]);
    expect(passed).toMatch(new RegExp(`^HTTP/1\\.1 ${status} [^]*\r\nX-Request-Id: [0-9a-f-]{36}\r\n`, 'i'));
    expect(constant(passed)).toBe(constant(own));
  });

  it('follows a connection through requests, pieces of them, and an offer of another protocol', async () => {
    setFaults({ match: { path: '/third' }, fault: { kind: 'answer', status: 503 } });
    const { socket, heard } = open(front.port);
    socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\nUpgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\n');
    socket.write('HTTP2-Settings: AAMAAABk\r\n\r\n');
    await expect.poll(() => heard()).toMatch(/^HTTP\/1\.1 200 [^]*"ok"\}\}$/);
    socket.write('POST /second HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n');
    socket.write('0\r\n\r\n');
    await expect.poll(() => heard()).toMatch(/HTTP\/1\.1 404 [^]*\}$/);
    socket.write('GET /th');
    socket.write('ird HTTP/1.1\r\nHost: x\r\n\r\n');
    await once(socket, 'close');
    expect(heard()).toMatch(/HTTP\/1\.1 503 [^]*This fault was asked for/);
    expect(faults.view()[0]?.happened).toBe(1);
  });

  // Now and then, on a slow machine, a connection that is used again is closed before the answer has come.
  it.runIf(IS_DEEP)(
    'answers large bodies that the service refuses unread, every time, over connections that are used again',
    async () => {
      const kinds = [
        ['POST', '/v2/lots', OWNER_TOKEN, 1_100_000, 413],
        ['POST', '/v2/lots', null, 5_000_000, 401],
        ['POST', '/v2/none', OWNER_TOKEN, 5_000_000, 404],
        ['PATCH', '/v2/lots/999999', OWNER_TOKEN, 1_100_000, 404],
      ] as const;
      for (let round = 0; round < 25; round++) {
        for (const [method, path, token, bytes, status] of kinds) {
          const answer = await fetch(`http://${HOST}:${front.port}${path}`, {
            method,
            headers: {
              'content-type': 'application/json',
              ...(token === null ? {} : { authorization: `Bearer ${token}` }),
            },
            body: Buffer.alloc(bytes, 0x20),
          });
          expect([path, answer.status, await answer.json()]).toMatchObject([path, status, { success: false }]);
        }
      }
    },
  );

  it('answers a fault as the service would, and lets a client that still sends read it', async () => {
    setFaults({ times: 3, fault: { kind: 'answer', status: 503, retry_after_s: 7 } });
    const answer = /^HTTP\/1\.1 503 [^]*Retry-After: 7\r\n[^]*X-Request-Id: [0-9a-f-]{36}\r\n/i;
    const posted = await answersTo(
      front.port,
      `POST /v2/lots HTTP/1.1\r\nContent-Length: 5000000\r\nHost: x\r\n\r\n`,
      Buffer.alloc(5_000_000),
    );
    expect(posted).toMatch(answer);
    expect(posted).toMatch(/"This fault was asked for"\}\]\}$/);
    expect(await answersTo(front.port, `HEAD /v2/lots HTTP/1.1\r\n${END}`)).toMatch(/\r\n\r\n$/);
    const upgrade = 'GET /v2/realtime HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: upgrade\r\n\r\n';
    expect(await answersTo(front.port, upgrade)).toMatch(answer);
  });

  it('delays many requests at once, with no warning', async () => {
    const warnings: Error[] = [];
    const note = (warning: Error) => warnings.push(warning);
    process.on('warning', note);
    setFaults({ times: null, fault: { kind: 'delay', delay_ms: 50 } });
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => answersTo(front.port, `GET /healthz HTTP/1.1\r\n${END}`)),
    );
    expect(answers.every((text) => text.startsWith('HTTP/1.1 200 '))).toBe(true);
    // A warning is emitted with the next tick.
    await new Promise((resolve) => setImmediate(resolve));
    process.off('warning', note);
    expect(warnings).toEqual([]);
  });

  it('delays a request for longer than the service waits for one', async () => {
    const service = createServer({ headersTimeout: 20, connectionsCheckingInterval: 5 }, (_request, response) =>
      response.end('in the end'),
    );
    service.listen(0, HOST);
    await once(service, 'listening');
    front.leadTo((service.address() as AddressInfo).port);
    setFaults({ fault: { kind: 'delay', delay_ms: 200 } });
    expect(await answersTo(front.port, `GET / HTTP/1.1\r\n${END}`)).toMatch(/^HTTP\/1\.1 200 [^]*in the end$/);
    front.leadTo(world.cloud.server.port);
    service.close();
  });

  it('loses the answer alone of a request whose body waits for a word', async () => {
    setFaults({ fault: { kind: 'lost_answer' } });
    const { socket, heard } = open(front.port);
    const json = JSON.stringify({ name: 'Heard' });
    const head = `POST /v2/groups HTTP/1.1\r\n${BEARER}Content-Type: application/json\r\nContent-Length: ${json.length}\r\n`;
    socket.write(`${head}Expect: 100-continue\r\nHost: x\r\n\r\n`);
    await expect.poll(() => heard()).toBe('HTTP/1.1 100 Continue\r\n\r\n');
    socket.write(json);
    await once(socket, 'close');
    expect(heard()).toBe('HTTP/1.1 100 Continue\r\n\r\n');
    expect(await world.get<{ name: string }[]>('/v2/groups')).toMatchObject([{ name: 'Heard' }]);
  });
});

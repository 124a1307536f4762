import { createServer, type Server as HttpServer } from 'node:http';
import { type AddressInfo, connect, Server, type Socket } from 'node:net';
import { Hono } from 'hono';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type LocalServer, startLocalServer } from '../../../agent/console/local-server.js';
import type { RefusedRequest } from '../../../shared/node/bounded-server.js';
import { deferred } from '../../../agent/waiting/deferred.js';
import { type IdleSockets, openIdleCameraSockets } from '../../attack/idle-camera-sockets.js';
import { FakeClock } from '../../world/fake-clock.js';
import { waitUntil } from '../../../scripts/sim/wait-until.js';

const closing: (() => Promise<unknown> | void)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

type Options = Partial<Omit<Parameters<typeof startLocalServer>[0], 'app' | 'port'>>;

async function start(app: Hono, options: Options = {}): Promise<LocalServer> {
  const { host = '127.0.0.1', ...rest } = options;
  const server = await startLocalServer({ app, host, port: 0, ...rest });
  closing.push(() => server.close());
  return server;
}

/** Sends raw bytes; `text()` is what came back so far. */
async function openSocket(port: number, host = '127.0.0.1'): Promise<{ socket: Socket; text: () => string }> {
  const socket = connect(port, host);
  let received = '';
  socket.on('data', (chunk) => (received += chunk.toString()));
  socket.on('error', () => {});
  closing.push(() => void socket.destroy());
  await new Promise((resolve) => socket.once('connect', resolve));
  return { socket, text: () => received };
}

const ended = (socket: Socket) =>
  socket.destroyed ? Promise.resolve() : new Promise<void>((resolve) => socket.once('close', () => resolve()));

const pathEcho = () => new Hono().get('*', (context) => context.text(context.req.path));

describe('the local listener', () => {
  it('serves the app', async () => {
    const { port } = await start(pathEcho());
    expect(await (await fetch(`http://127.0.0.1:${port}/lpr`)).text()).toBe('/lpr');
  });

  it.each(['127.0.0.1', '0.0.0.0', '::'])('serves who names no host, listening on %s', async (host) => {
    const { port } = await start(pathEcho(), { host });
    const { socket, text } = await openSocket(port);
    socket.write('GET /lpr HTTP/1.0\r\n\r\n');
    await ended(socket);
    expect(text()).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*\r\n\/lpr$/);
  });

  it('says what to do when the port is taken, and when the address is wrong', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    closing.push(() => new Promise((resolve) => other.close(resolve)));
    const { port } = other.address() as AddressInfo;
    await expect(startLocalServer({ app: new Hono(), host: '127.0.0.1', port })).rejects.toThrow(
      `Cannot listen on 127.0.0.1: port ${port} is in use. Stop the other program, or set AGENT_HTTP_PORT to a free one.`,
    );
    await expect(startLocalServer({ app: new Hono(), host: '192.0.2.1', port: 0 })).rejects.toThrow(
      'Set AGENT_HTTP_HOST to one of its own',
    );
  });

  it('goes on after an error of a connection, and tells of each', async () => {
    const listen = vi.spyOn(Server.prototype, 'listen');
    const notified: Error[] = [];
    const onError = (error: Error) => void notified.push(error);
    const server = await startLocalServer({ app: pathEcho(), host: '127.0.0.1', port: 0, onError });
    closing.push(() => server.close());
    const errors = [new Error('accept EMFILE'), new Error('accept EMFILE')];
    // Nobody can make a machine run out of files for one server only.
    for (const error of errors) (listen.mock.contexts[0] as Server).emit('error', error);
    listen.mockRestore();
    expect(notified).toEqual(errors);
    expect((await fetch(`http://127.0.0.1:${server.port}/`)).status).toBe(200);
  });

  it('takes from a page in a browser only what it may read, and no path of devices', async () => {
    const app = new Hono().all('*', (context) => context.body(null, 204));
    const { port } = await start(app, { isDevicePath: (path) => path.startsWith('/sensors/') });
    const ask = async (method: string, path: string, headers: Record<string, string>) =>
      (await fetch(`http://127.0.0.1:${port}${path}`, { method, headers })).status;
    for (const headers of [{ origin: 'null' }, { 'sec-fetch-site': 'none' }]) {
      expect(await ask('POST', '/sensors/lot/key', headers)).toBe(403);
      expect(await ask('GET', '/sensors/lot/key', headers)).toBe(403);
      expect(await ask('POST', '/release', headers)).toBe(403);
      expect(await ask('GET', '/status', headers)).toBe(204);
    }
    // The local console's own page asks what is the console's.
    const own = { origin: `http://127.0.0.1:${port}`, 'sec-fetch-site': 'same-origin' };
    expect(await ask('POST', '/api/release', own)).toBe(204);
    expect(await ask('POST', '/api/release', { origin: 'http://evil.example' })).toBe(403);
    for (const path of ['/sensors/lot/key', '/release', '/apis'])
      expect([path, await ask('POST', path, own)]).toEqual([path, 403]);
    expect(await ask('GET', '/sensors/lot/key', own)).toBe(403);
    // What Node.js says of itself, `Sec-Fetch-Mode`, is no page.
    expect(await ask('POST', '/sensors/lot/key', {})).toBe(204);
  });

  it('does not read on what it has refused, and its answer arrives all the same', async () => {
    const app = new Hono().post('/lpr', (context) => context.body(null, 503));
    const { port } = await start(app);
    const { socket, text } = await openSocket(port);
    socket.write('POST /lpr HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000000\r\n\r\n');
    const piece = Buffer.alloc(1024 * 1024);
    let written = 0;
    const write = () => socket.write(piece, (error) => void (error || ((written += piece.length), write())));
    write();
    await ended(socket);
    expect(text()).toMatch(/^HTTP\/1\.1 503 /);
    // The machine itself takes some megabytes for both ends.
    expect(written).toBeLessThan(24 * 1024 * 1024);
  });

  it('lets a request under way end when it closes, and takes no other', async () => {
    const asked = deferred<void>();
    const answer = deferred<string>();
    const app = new Hono().get('/slow', async (context) => {
      asked.resolve();
      return context.text(await answer.promise);
    });
    // Its patience does not end while a busy machine is slow to refuse the other.
    const { port, close } = await start(app, { clock: new FakeClock() });
    const request = fetch(`http://127.0.0.1:${port}/slow`);
    await asked.promise;
    const closed = close();
    expect(close()).toBe(closed);
    await expect(fetch(`http://127.0.0.1:${port}/slow`)).rejects.toThrow('fetch failed');
    answer.resolve('done');
    expect(await (await request).text()).toBe('done');
    await closed;
  });

  it('waits for nobody who never ends', async () => {
    const clock = new FakeClock();
    const asked = deferred<void>();
    const app = new Hono().get('/stuck', () => {
      asked.resolve();
      return new Promise<Response>(() => {});
    });
    const { port, close } = await start(app, { clock });
    const stuck = await openSocket(port);
    stuck.socket.write('GET /stuck HTTP/1.1\r\nHost: gateway\r\n\r\n');
    await asked.promise;
    const { socket } = await openSocket(port);
    socket.write('POST /lpr HTTP/1.1\r\nHost: gateway\r\nContent-Length: 1000\r\n\r\nhalf');
    const closed = close();
    await clock.advance(5_000);
    await Promise.all([closed, ended(stuck.socket), ended(socket)]);
    expect(clock.pending).toBe(0);
  });
});

describe('what cameras write as HTTP', () => {
  const PATH = '/lpr/hikvision/cam/key';
  const head = (...lines: string[]) => [`POST ${PATH} HTTP/1.1`, ...lines, '', ''].join('\r\n');
  const HOST = 'Host: gateway';

  async function send(bytes: string, options: { ends?: boolean; app?: Hono } = {}) {
    const refused: RefusedRequest[] = [];
    const kept: string[] = [];
    const {
      app = new Hono().post('*', async (context) => (kept.push(await context.req.text()), context.body(null, 200))),
    } = options;
    app.onError((_error, context) => context.body(null, 503));
    const { port } = await start(app, {
      isDevicePath: (path) => path === PATH,
      onRefused: (notified) => void refused.push(notified),
    });
    const { socket, text } = await openSocket(port);
    socket.write(bytes);
    if (options.ends === true) socket.end();
    await waitUntil('an answer', () => text().includes('\r\n\r\n'));
    return { socket, text, kept, refused };
  }

  it.each([
    ['bytes behind the body', `${head(HOST, 'Content-Length: 4')}readgarbage\0\0`, false],
    ['line breaks behind the body', `${head(HOST, 'Content-Length: 4')}read\r\n\r\n`, false],
    ['no host', `${head('Content-Length: 4')}read`, false],
    ['a connection that the camera has ended', `${head(HOST, 'Content-Length: 4')}read`, true],
  ])('is answered 200 where it is kept: %s', async (_, bytes, ends) => {
    const { text, kept, refused, socket } = await send(bytes, { ends });
    expect([text().split('\r\n', 1)[0], kept, refused]).toEqual(['HTTP/1.1 200 OK', ['read'], []]);
    if (ends) await ended(socket);
  });

  it.each([
    ['lines that end with LF alone', `POST ${PATH} HTTP/1.1\nHost: gateway\nContent-Length: 4\n\nread`],
    [
      'two ways to say how long it is',
      `${head(HOST, 'Content-Length: 4', 'Transfer-Encoding: chunked')}4\r\nread\r\n0\r\n\r\n`,
    ],
    ['two hosts', `${head(HOST, 'Host: other', 'Content-Length: 4')}read`],
    ['a body that ends too early', `${head(HOST, 'Content-Length: 40')}read`],
  ])('is kept or told of: %s', async (_, bytes) => {
    const { text, kept, refused } = await send(bytes, { ends: bytes.includes(': 40') });
    const status = text().split(' ')[1];
    if (kept.length > 0) expect([status, refused]).toEqual(['200', []]);
    else expect([status, refused]).toEqual(['400', [{ address: '127.0.0.1', reason: expect.any(String), path: PATH }]]);
  });

  it('may come over one connection, one every ten seconds', async () => {
    const { text, socket } = await send(`${head(HOST, 'Content-Length: 4')}read`);
    expect(text()).toMatch(/keep-alive: timeout=75/i);
    expect(socket.destroyed).toBe(false);
  });
});

describe('the local listener under attack', () => {
  const KNOWN = '127.0.0.1';
  const isKnown = (address: string) => address === KNOWN;
  const attack = async (options: Parameters<typeof openIdleCameraSockets>[0]) => {
    const sockets = await openIdleCameraSockets(options);
    closing.push(() => sockets.close());
    return sockets;
  };

  it.each([
    ['that say nothing', ''],
    ['that never end their first line', 'POST /lpr/hikvision/cam'],
  ])('leaves a host that is not known 16 connections of its 300 %s, and answers cameras', async (_, says) => {
    const crowds: string[] = [];
    const { port } = await start(pathEcho(), { isKnown, onCrowd: (address) => void crowds.push(address) });
    const sockets = await attack({ port, count: 300, from: '127.0.0.66', says });
    expect(await (await fetch(`http://127.0.0.1:${port}/lpr`)).text()).toBe('/lpr');
    await waitUntil('the others to be closed', () => sockets.open() <= 16);
    expect(new Set(crowds)).toEqual(new Set(['127.0.0.66']));
  });

  it('answers cameras while many hosts hold all that is left for who is not known', async () => {
    const { port } = await start(pathEcho(), { isKnown });
    const attacks: IdleSockets[] = [];
    for (let host = 0; host < 40; host++)
      attacks.push(await attack({ port, count: 8, from: `127.0.1.${host + 1}`, says: 'GET /' }));
    expect(await (await fetch(`http://127.0.0.1:${port}/lpr`)).text()).toBe('/lpr');
    await waitUntil('the others to be closed', () => attacks.reduce((sum, { open }) => sum + open(), 0) <= 96);
    const newcomer = await attack({ port, count: 1, from: '127.0.2.1', says: 'GET /new HTTP/1.0\r\n\r\n' });
    await waitUntil('a host that is not known to be answered', () => newcomer.open() === 0);
  });

  it('answers the one on the device itself that opens hundreds', async () => {
    const { port } = await start(pathEcho());
    await attack({ port, count: 300 });
    for (let asked = 0; asked < 20; asked++)
      expect(await (await fetch(`http://127.0.0.1:${port}/status`)).text()).toBe('/status');
  });

  it('answers a camera behind the address of one that sends all its bodies slowly', async () => {
    const app = new Hono().post('*', async (context) => context.text(await context.req.text()));
    app.onError((_brokenOff, context) => context.body(null, 503));
    const clock = new FakeClock();
    const { port } = await start(app, { clock });
    const says = 'POST /slow HTTP/1.1\r\nHost: gateway\r\nContent-Length: 1000\r\n\r\nx';
    for (let wave = 0; wave < 10; wave++) {
      await attack({ port, count: 20, says });
      const push = await fetch(`http://127.0.0.1:${port}/push`, { method: 'POST', body: 'a read' });
      expect(await push.text()).toBe('a read');
      await clock.advance(1_000);
    }
  });

  it('reads at a pace who is refused and comes again, and all the same who is not', async () => {
    const clock = new FakeClock();
    const asked: string[] = [];
    const app = new Hono().get('*', (context) => {
      asked.push(context.req.path);
      return context.body(null, context.req.path === '/wrong' ? 404 : 200);
    });
    const { port } = await start(app, { isKnown, clock });
    const ask = async (path: string) => {
      const opened = await openSocket(port);
      opened.socket.write(`GET ${path} HTTP/1.0\r\n\r\n`);
      return opened;
    };
    for (let pushes = 1; pushes <= 100; pushes++) {
      await ended((await ask('/right')).socket);
      await waitUntil('its turn to be given back', () => asked.length === pushes);
    }
    for (let refused = 0; refused < 40; refused++) await ended((await ask('/wrong')).socket);
    const held = await ask('/wrong');
    const newest = await ask('/right');
    await clock.advance(20);
    expect(asked).toHaveLength(140);
    await clock.advance(40);
    await waitUntil('the newest to be answered', () => newest.text().startsWith('HTTP/1.1 200'));
    // It gave its turn to the one that was held before.
    await ended(held.socket);
    expect(asked.slice(140)).toEqual(['/right', '/wrong']);
    const over = await ask('/wrong');
    await clock.advance(5_000);
    await ended(over.socket);
    expect(clock.pending).toBe(0);
  });

  it('gives no turn back for a push that is broken off before it is answered', async () => {
    const clock = new FakeClock();
    let broken = 0;
    const app = new Hono()
      .get('/right', (context) => context.body(null, 200))
      .post('/broken', async (context) => {
        await context.req.arrayBuffer().catch(() => (broken += 1));
        return context.body(null, 200);
      });
    const { port } = await start(app, { isKnown, clock });
    for (let pushes = 1; pushes <= 40; pushes++) {
      const { socket } = await openSocket(port);
      socket.write('POST /broken HTTP/1.1\r\nHost: gateway\r\nContent-Length: 1000\r\n\r\nhalf');
      await new Promise((resolve) => setImmediate(resolve));
      socket.resetAndDestroy();
      await waitUntil('it to be broken off', () => broken === pushes);
    }
    const { socket, text } = await openSocket(port);
    socket.write('GET /right HTTP/1.0\r\n\r\n');
    // Another address is answered meanwhile.
    const other = await attack({ port, count: 1, from: '127.0.0.66', says: 'GET /right HTTP/1.0\r\n\r\n' });
    await waitUntil('the other to be answered', () => other.open() === 0);
    expect(text()).toBe('');
    await clock.advance(60);
    await waitUntil('its turn', () => text().startsWith('HTTP/1.1 200'));
  });

  it('waits 5 s for what somebody wants, and for a push no longer than a bad link needs', async () => {
    const listen = vi.spyOn(Server.prototype, 'listen');
    await start(pathEcho());
    const server = listen.mock.contexts[0] as HttpServer;
    listen.mockRestore();
    expect([server.headersTimeout, server.timeout, server.requestTimeout]).toEqual([5_000, 10_000, 120_000]);
  });

  it('ends who does not say what he wants in time', async () => {
    const { port } = await start(pathEcho(), { timeouts: { headersMs: 100 } });
    const sockets = await attack({ port, count: 3, says: 'GET / HTTP/1.1\r\nHost: ' });
    await waitUntil('them to be closed', () => sockets.open() === 0);
  });

  it('cuts a body that stalls, and waits for the answer to one that is complete', async () => {
    const answer = deferred<string>();
    const reading: string[] = [];
    const failed = deferred<void>();
    const app = new Hono()
      .post('/stalled', async (context) => {
        reading.push('stalled');
        await context.req.arrayBuffer().catch(() => failed.resolve());
        return context.body(null, 503);
      })
      .post('/complete', async (context) => {
        await context.req.arrayBuffer();
        reading.push('complete');
        return context.text(await answer.promise);
      });
    const { port } = await start(app, { timeouts: { stalledMs: 200 } });
    const complete = fetch(`http://127.0.0.1:${port}/complete`, { method: 'POST', body: 'all of it' });
    await waitUntil('it to be read', () => reading.includes('complete'));
    const { socket } = await openSocket(port);
    socket.write('POST /stalled HTTP/1.1\r\nHost: gateway\r\nContent-Length: 1000\r\n\r\nhalf');
    await Promise.all([failed.promise, ended(socket)]);
    expect(reading).toEqual(['complete', 'stalled']);
    answer.resolve('done');
    expect(await (await complete).text()).toBe('done');
  });
});

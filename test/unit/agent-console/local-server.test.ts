import { createServer } from 'node:http';
import { type AddressInfo, connect, Server, type Socket } from 'node:net';
import { Hono } from 'hono';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type LocalServer, startLocalServer } from '../../../agent/console/local-server.js';
import { deferred } from '../../../agent/waiting/deferred.js';
import { FakeClock } from '../../sim/world/fake-clock.js';

const closing: (() => Promise<unknown> | void)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function start(app: Hono, options: { host?: string; clock?: FakeClock } = {}): Promise<LocalServer> {
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

const pathTeller = () => new Hono().get('*', (context) => context.text(context.req.path));

describe('the local listener', () => {
  it('serves the app', async () => {
    const { port } = await start(pathTeller());
    expect(await (await fetch(`http://127.0.0.1:${port}/lpr`)).text()).toBe('/lpr');
  });

  it.each(['127.0.0.1', '0.0.0.0', '::'])('serves who names no host, listening on %s', async (host) => {
    const { port } = await start(pathTeller(), { host });
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
      `cannot listen on 127.0.0.1: port ${port} is in use: stop the other program, or set AGENT_HTTP_PORT to a free one`,
    );
    await expect(startLocalServer({ app: new Hono(), host: '192.0.2.1', port: 0 })).rejects.toThrow(
      /^cannot listen on 192\.0\.2\.1: .*: check AGENT_HTTP_HOST and AGENT_HTTP_PORT$/,
    );
  });

  it('goes on after an error of a connection, and tells of each', async () => {
    const listen = vi.spyOn(Server.prototype, 'listen');
    const told: Error[] = [];
    const onError = (error: Error) => void told.push(error);
    const server = await startLocalServer({ app: pathTeller(), host: '127.0.0.1', port: 0, onError });
    closing.push(() => server.close());
    const errors = [new Error('accept EMFILE'), new Error('accept EMFILE')];
    // Nobody can make a machine run out of files for one server only.
    for (const error of errors) (listen.mock.contexts[0] as Server).emit('error', error);
    listen.mockRestore();
    expect(told).toEqual(errors);
    expect((await fetch(`http://127.0.0.1:${server.port}/`)).status).toBe(200);
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

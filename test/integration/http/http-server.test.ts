import { once } from 'node:events';
import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { OpenAPIHono } from '@hono/zod-openapi';
import { afterEach, describe, expect, it } from 'vitest';
import type { HttpEnv } from '../../../cloud/rest/request/http-env.js';
import { type HttpServer, type HttpServerOptions, startHttpServer } from '../../../cloud/rest/server/http-server.js';
import type { RealtimeServer } from '../../../cloud/doors/realtime/ws-realtime-server.js';
import { deferred } from '../../../agent/waiting/deferred.js';
import { openTlsFiles } from '../../../cloud/kernel/secrets/tls-files.js';
import { waitUntil } from '../../../scripts/sim/wait-until.js';
import { silentLogger } from '../../../shared/logger.js';
import { FakeClock, settle } from '../../world/fake-clock.js';
import { tlsFixture, tlsPlace, tlsText } from '../../world/tls-fixtures.js';

describe('HTTP server', () => {
  const servers: HttpServer[] = [];
  afterEach(async () => {
    for (const server of servers.splice(0)) await server.close();
  });

  async function start(
    options: { port?: number; host?: string; realtimeClosed?: () => void } & Pick<
      HttpServerOptions,
      'pace' | 'tls'
    > = {},
  ) {
    const app = new OpenAPIHono<HttpEnv>();
    const asked = deferred<void>();
    const answer = deferred<string>();
    app.get('/quick', (c) => c.text('here'));
    app.get('/slow', async (c) => {
      asked.resolve();
      return c.text(await answer.promise);
    });
    const realtime: RealtimeServer = {
      handleUpgrade: async (_request, socket) => void socket.destroy(),
      close: async () => options.realtimeClosed?.(),
    };
    const clock = new FakeClock();
    const server = await startHttpServer({
      app,
      realtime,
      host: options.host ?? '127.0.0.1',
      port: options.port ?? 0,
      clock,
      pace: options.pace,
      tls: options.tls,
    });
    servers.push(server);
    return { server, clock, asked: asked.promise, answer };
  }

  it('says which port is in use and what to do', async () => {
    const { server } = await start();
    await expect(start({ port: server.port })).rejects.toThrow(
      `Cannot listen on 127.0.0.1: port ${server.port} is in use. Stop the other program, or set PORT to a free one.`,
    );
  });

  it('says that the address is not of this machine', async () => {
    await expect(start({ host: '192.0.2.1' })).rejects.toThrow('Set HOST to one of its own');
  });

  it('lets requests under way end before it closes, and takes no new ones', async () => {
    const order: string[] = [];
    const { server, asked, answer } = await start({ realtimeClosed: () => order.push('realtime closed') });
    const response = fetch(`http://127.0.0.1:${server.port}/slow`).then(async (got) => order.push(await got.text()));
    await asked;
    const closed = server.close().then(() => order.push('closed'));
    await settle();
    await expect(fetch(`http://127.0.0.1:${server.port}/slow`)).rejects.toThrow();
    expect(order).toEqual([]);
    answer.resolve('answered');
    await Promise.all([response, closed]);
    expect(order.toSorted()).toEqual(['answered', 'closed', 'realtime closed']);
    expect(order.indexOf('realtime closed')).toBeLessThan(order.indexOf('closed'));
  });

  it('cuts what does not end', async () => {
    const { server, clock, asked } = await start();
    const response = fetch(`http://127.0.0.1:${server.port}/slow`).catch(() => 'cut');
    await asked;
    const closed = server.close();
    await clock.advance(5_000);
    await closed;
    expect(await response).toBe('cut');
  });

  describe.each([
    ['HTTP', undefined],
    ['TLS', 'tls'],
  ])('connections over %s that come faster than their pace', (_name, isTls) => {
    /** The next turn comes in a second. */
    async function startPaced() {
      const place = tlsPlace(tlsFixture('server.pem'), tlsFixture('server.key'));
      const tls =
        isTls === undefined ? undefined : openTlsFiles(place, { clock: new FakeClock(), logger: silentLogger });
      const made = await start({ pace: { burst: 2, perSecond: 1 }, tls });
      const { port } = made.server;
      const status = new Map<string, string>();
      /** Asks on a connection of its own, which it leaves open. */
      const ask = (path: string, headers = '') => {
        const socket =
          isTls === undefined
            ? connect(port, '127.0.0.1')
            : connectTls({ port, host: '127.0.0.1', ca: tlsText('authority.pem') });
        socket.on('error', () => {}).on('close', () => !status.has(path) && status.set(path, 'cut'));
        socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n${headers}\r\n`);
        socket.once('data', (data) => status.set(path, data.toString('latin1').slice(9, 12)));
      };
      return { ...made, status, ask };
    }

    it('wait, and are read when it is their turn', async () => {
      const { clock, status, ask } = await startPaced();
      ask('/unknown-1');
      ask('/unknown-2');
      await waitUntil('the burst', () => status.size === 2);
      ask('/held');
      await waitUntil('its turn', async () => {
        await clock.advance(100);
        return status.has('/held');
      });
      expect(clock.monotonic()).toBeGreaterThanOrEqual(1_000);
      expect(Object.fromEntries(status)).toEqual({ '/unknown-1': '404', '/unknown-2': '404', '/held': '404' });
    });

    it('give their turn back with each answer, also to an offer of another protocol', async () => {
      const { status, ask } = await startPaced();
      for (let number = 0; number < 10; number++) {
        ask(`/quick?${number}`, number % 2 === 0 ? '' : 'Connection: Upgrade\r\nUpgrade: h2c\r\n');
      }
      await waitUntil('all answers', () => status.size === 10);
      expect(new Set(status.values())).toEqual(new Set(['200']));
    });

    it('are cut when the server closes', async () => {
      const { server, status, ask } = await startPaced();
      ask('/unknown-1');
      ask('/unknown-2');
      await waitUntil('the burst', () => status.size === 2);
      ask('/held');
      await server.close();
      await waitUntil('the held one to be cut', () => status.get('/held') === 'cut');
    });
  });

  it('does not wait for connections that ask for nothing', async () => {
    const { server } = await start();
    const idle = connect(server.port, '127.0.0.1');
    await once(idle, 'connect');
    // Connections are taken in their order: with the answer on this one the server has the idle one too.
    await fetch(`http://127.0.0.1:${server.port}/nothing`);
    const ended = once(idle, 'close');
    await server.close();
    await ended;
  });
});

import { once } from 'node:events';
import { connect } from 'node:net';
import { OpenAPIHono } from '@hono/zod-openapi';
import { afterEach, describe, expect, it } from 'vitest';
import type { HttpEnv } from '../../../cloud/rest/http/http-env.js';
import { type HttpServer, startHttpServer } from '../../../cloud/rest/http/http-server.js';
import type { RealtimeServer } from '../../../cloud/doors/realtime/ws-realtime-server.js';
import { deferred } from '../../../agent/waiting/deferred.js';
import { FakeClock, settle } from '../../world/fake-clock.js';

describe('HTTP server', () => {
  const servers: HttpServer[] = [];
  afterEach(async () => {
    for (const server of servers.splice(0)) await server.close();
  });

  async function start(options: { port?: number; host?: string; realtimeClosed?: () => void } = {}) {
    const app = new OpenAPIHono<HttpEnv>();
    const asked = deferred<void>();
    const answer = deferred<string>();
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

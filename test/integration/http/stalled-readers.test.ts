import { OpenAPIHono } from '@hono/zod-openapi';
import { afterEach, describe, expect, it } from 'vitest';
import type { HttpEnv } from '../../../cloud/rest/request/http-env.js';
import { type HttpServer, startHttpServer } from '../../../cloud/rest/server/http-server.js';
import { systemClock } from '../../../shared/system-clock.js';
import { askAndNotRead } from '../../attack/unread-answers.js';

const CHUNK = new Uint8Array(64 * 1024);
const CHUNKS = 400;
/** So that a test need not wait for the minute of the service. */
const STALL_MS = 300;

let server: HttpServer;
afterEach(() => server.close());

async function start(): Promise<{ sent: () => number; base: string; cutOff: (count: number) => Promise<void> }> {
  let sent = 0;
  let cut = 0;
  let onCut = (): void => {};
  const app = new OpenAPIHono<HttpEnv>();
  app.get('/long', () => {
    let left = CHUNKS;
    return new Response(
      new ReadableStream({
        pull(controller) {
          if (left === 0) return controller.close();
          left -= 1;
          sent += 1;
          controller.enqueue(CHUNK);
        },
        cancel() {
          cut += 1;
          onCut();
        },
      }),
    );
  });
  const realtime = { handleUpgrade: async () => {}, close: async () => undefined };
  server = await startHttpServer({ app, realtime, host: '127.0.0.1', port: 0, clock: systemClock, stallMs: STALL_MS });
  const cutOff = (count: number) =>
    new Promise<void>((resolve) => {
      onCut = () => void (cut >= count && resolve());
      onCut();
    });
  return { cutOff, sent: () => sent, base: `http://127.0.0.1:${server.port}` };
}

describe('a client that reads nothing', () => {
  it('is cut off, and only what its connection holds was made for it', async () => {
    const { sent, cutOff } = await start();
    const unread = await askAndNotRead({ port: server.port, path: '/long', count: 3 });
    await cutOff(3);
    await unread.close();
    expect(sent()).toBeLessThan(3 * CHUNKS);
  });

  it('is no one who reads, however much, on a connection that is kept', async () => {
    const { base } = await start();
    for (let time = 0; time < 2; time++) {
      const answer = await fetch(`${base}/long`);
      expect((await answer.arrayBuffer()).byteLength).toBe(CHUNKS * CHUNK.length);
    }
  });
});

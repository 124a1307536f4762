import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import type { Hono } from 'hono';

export interface LocalServer {
  readonly port: number;
  /** Takes no more requests and waits for those under way. */
  close(): Promise<void>;
}

/** A camera that says nothing for so long has gone away in the middle of its push. */
const REQUEST_TIMEOUT_MS = 30_000;

/** The gateway's HTTP listener. Throws when it cannot listen, saying what to do about it. */
export async function startLocalServer(options: { app: Hono; host: string; port: number }): Promise<LocalServer> {
  const { app, host, port } = options;
  const server = createServer(
    { requestTimeout: REQUEST_TIMEOUT_MS },
    getRequestListener(app.fetch, { hostname: host }),
  );
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const hint =
        cause.code === 'EADDRINUSE'
          ? `port ${port} is in use: stop the other program, or set AGENT_HTTP_PORT to a free one`
          : `${cause.message}: check AGENT_HTTP_HOST and AGENT_HTTP_PORT`;
      reject(new Error(`cannot listen on ${host}: ${hint}`, { cause }));
    });
    server.listen(port, host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeIdleConnections();
      await closed;
    },
  };
}

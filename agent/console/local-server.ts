import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import type { Hono } from 'hono';
import type { Clock } from '../../shared/clock.js';
import { systemClock } from '../../shared/system-clock.js';

export interface LocalServer {
  readonly port: number;
  /** Takes no more requests, waits a while for those under way, then ends what is left. Idempotent. */
  close(): Promise<void>;
}

/** A camera that says nothing for so long has gone away in the middle of its push. */
const REQUEST_TIMEOUT_MS = 30_000;
/** More than all cameras of a car park, fewer than the files a process may open. */
const CONNECTIONS_MAX = 256;
const DRAIN_MS = 5_000;

/**
 * The gateway's HTTP listener. Throws when it cannot listen, saying what to do about it.
 * @param options.onError told of what goes wrong later, as when no more files can be opened; the listener goes on
 */
export async function startLocalServer(options: {
  app: Hono;
  host: string;
  port: number;
  clock?: Clock;
  onError?: (error: Error) => void;
}): Promise<LocalServer> {
  const { app, host, port, clock = systemClock, onError = () => {} } = options;
  // Who names no host (HTTP/1.0) is served all the same; `host` may be no name at all, as `::`.
  const listener = getRequestListener(app.fetch, { hostname: 'localhost' });
  const server = createServer({ requestTimeout: REQUEST_TIMEOUT_MS }, listener);
  server.maxConnections = CONNECTIONS_MAX;
  await listen(server, { host, port });
  server.on('error', onError);
  let closing: Promise<void> | undefined;
  return {
    port: (server.address() as AddressInfo).port,
    close() {
      closing ??= closeServer(server, clock);
      return closing;
    },
  };
}

function listen(server: Server, { host, port }: { host: string; port: number }): Promise<void> {
  return new Promise((resolve, reject) => {
    const onError = (cause: NodeJS.ErrnoException) => {
      const hint =
        cause.code === 'EADDRINUSE'
          ? `port ${port} is in use: stop the other program, or set AGENT_HTTP_PORT to a free one`
          : `${cause.message}: check AGENT_HTTP_HOST and AGENT_HTTP_PORT`;
      reject(new Error(`cannot listen on ${host}: ${hint}`, { cause }));
    };
    server.once('error', onError);
    server.listen(port, host, () => {
      server.removeListener('error', onError);
      resolve();
    });
  });
}

async function closeServer(server: Server, clock: Clock): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  // A connection whose answer is still to come would stay for a next request otherwise.
  server.keepAliveTimeout = 1;
  const drained = clock.setTimer(DRAIN_MS, () => server.closeAllConnections());
  await closed;
  drained.cancel();
}

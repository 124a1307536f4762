import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import type { Hono } from 'hono';
import type { Clock } from '../../shared/clock.js';
import { systemClock } from '../../shared/system-clock.js';

export interface LocalServer {
  readonly port: number;
  /** Refuses new requests, waits a while for those under way, then ends the rest. Idempotent. */
  close(): Promise<void>;
}

/** A camera that sends nothing for this long has gone away in the middle of its push. */
const REQUEST_TIMEOUT_MS = 30_000;
/** This is more than all cameras of a car park need, and less than the number of files that a process may open. */
const CONNECTIONS_MAX = 256;
const DRAIN_MS = 5_000;

/**
 * Starts the gateway's HTTP listener. Throws when it cannot listen, and says what to do about it.
 * @param options.onError called with later failures, for example when no more files can be opened; the listener goes on
 */
export async function startLocalServer(options: {
  app: Hono;
  host: string;
  port: number;
  clock?: Clock;
  onError?: (error: Error) => void;
}): Promise<LocalServer> {
  const { app, host, port, clock = systemClock, onError = () => {} } = options;
  // A request without a host (HTTP/1.0) is served too; `host` may be an address such as `::`.
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
  // Without this, a connection that still waits for its answer would stay open for another request.
  server.keepAliveTimeout = 1;
  const drained = clock.setTimer(DRAIN_MS, () => server.closeAllConnections());
  await closed;
  drained.cancel();
}

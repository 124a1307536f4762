import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import type { Hono } from 'hono';
import type { Clock } from '../../shared/clock.js';
import { addressNetwork } from '../../shared/address-seats.js';
import { createBoundedServer, listen, type RefusedRequest } from '../../shared/node/bounded-server.js';
import { createConnectionPace, type PaceLimits } from '../../shared/connection-pace.js';
import { isLoopback } from '../../shared/remote-address.js';
import { systemClock } from '../../shared/system-clock.js';
import { createConnectionSeats } from './connection-seats.js';
import { isOfOrigin } from './own-page.js';

export interface LocalServer {
  readonly port: number;
  /** Refuses new requests, waits a while for those under way, then ends the rest. Idempotent. */
  close(): Promise<void>;
}

const TIMEOUTS: LocalTimeouts = {
  /** A camera connects when it has something to say. */
  headersMs: 5_000,
  /** The largest push, 8 MiB, over a bad link of 0.6 Mbit/s. */
  requestMs: 120_000,
  /** A camera that sends nothing for this long has gone away in the middle of its push. */
  stalledMs: 10_000,
};
/** Cameras push every 10 s, or send a sign of life every minute, on one connection. */
const KEEP_ALIVE_MS = 75_000;
/** How often Node.js looks for requests that take too long. */
const CHECK_MS = 1_000;
const DRAIN_MS = 5_000;
/**
 * The pace of connections on which no push was accepted yet. A refused push costs its connection, and a client that sends it again at once
 * would connect hundreds of times a second. Cameras behind one address give their turn back with each push that is accepted.
 */
const PACE: PaceLimits = { burst: 40, perSecond: 20, heldMax: 96, heldMs: TIMEOUTS.headersMs };

export interface LocalTimeouts {
  headersMs: number;
  requestMs: number;
  stalledMs: number;
}

/**
 * Starts the gateway's HTTP listener. Throws when it cannot listen, and says what to do about it.
 * @param options.isKnown whether an address is a camera's: others have a small share of the connections
 * @param options.isDevicePath whether devices post to a path: some name no host, and no page in a browser is heard there. Left out: none do
 * @param options.onCrowd called with the address of each connection that was closed to make room
 * @param options.onRefused called with each request that is no HTTP as this listener takes it
 * @param options.onError called with later failures, for example when no more files can be opened; the listener goes on
 */
export async function startLocalServer(options: {
  app: Pick<Hono, 'fetch'>;
  host: string;
  port: number;
  isKnown?: (address: string) => boolean;
  isDevicePath?: (path: string) => boolean;
  timeouts?: Partial<LocalTimeouts>;
  clock?: Clock;
  onCrowd?: (address: string) => void;
  onRefused?: (refused: RefusedRequest) => void;
  onError?: (error: Error) => void;
}): Promise<LocalServer> {
  const { app, host, port, isKnown = isLoopback, isDevicePath = () => false, clock = systemClock } = options;
  const { onCrowd = () => {}, onRefused = () => {}, onError = () => {} } = options;
  // A request without a host (HTTP/1.0) is served too; `host` may be an address such as `::`.
  const listener = withoutBrowsers(getRequestListener(app.fetch, { hostname: 'localhost' }), {
    isDevicePath,
    onRefused,
  });
  const { headersMs, requestMs, stalledMs } = { ...TIMEOUTS, ...options.timeouts };
  const server = createBoundedServer({
    create: createServer,
    listener,
    timeouts: {
      keepAliveTimeout: KEEP_ALIVE_MS,
      headersTimeout: headersMs,
      requestTimeout: requestMs,
      connectionsCheckingInterval: Math.min(CHECK_MS, headersMs),
    },
    // Some cameras name no host, as in HTTP/1.0, which is served too.
    isHostNeeded: (path) => !isDevicePath(path),
    answer: ({ status }) => ({ status, headers: {}, body: '' }),
    onRefused,
  });
  server.timeout = stalledMs;
  server.on('request', (request, response) => {
    // Without a listener the connection would end, also while a complete push waits for the disk.
    response.on('timeout', () => {
      if (!request.complete) request.destroy();
    });
    response.on('finish', () => leaveUnread(request));
  });
  // A client that has ended its side still waits for the answer. The types of Node.js do not have this option.
  Object.assign(server, { httpAllowHalfOpen: true });
  seatConnections(server, { isKnown, onCrowd, clock });
  await listen(server, { host, port, settings: { host: 'AGENT_HTTP_HOST', port: 'AGENT_HTTP_PORT' } });
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

/**
 * Devices post here, and programs of this device: a page in a browser must not do it in their name, from wherever it
 * was loaded. A page may only read addresses that no device reads and, if it was loaded from here, ask for those of the
 * local console.
 */
function withoutBrowsers(
  listener: RequestListener,
  deps: { isDevicePath: (path: string) => boolean; onRefused: (refused: RefusedRequest) => void },
): RequestListener {
  return (request, response) => {
    const { method, url: path = '', headers, socket } = request;
    const isOwnCall = path.startsWith('/api/') && isOfOrigin(headers.host, headers.origin);
    const isHeard = isOwnCall || (method === 'GET' && !deps.isDevicePath(path));
    if (!isOfBrowser(request) || isHeard) return listener(request, response);
    deps.onRefused({ address: socket.remoteAddress ?? '', reason: 'a page in a browser sent it', path });
    response.writeHead(403, { Connection: 'close' }).end();
  };
}

/**
 * The rest of a request that was answered before its end stays where it is: read on, as Node.js and the listener do for half a second
 * until they cut the connection, pushes that are refused would cost more than those that are accepted.
 */
function leaveUnread(request: IncomingMessage): void {
  // Both begin to read on when the answer is finished.
  setImmediate(() => {
    if (!request.complete) request.socket.pause();
  });
}

/** Connections come at a pace by address, and have a place by address. */
function seatConnections(
  server: Server,
  deps: { isKnown: (address: string) => boolean; onCrowd: (address: string) => void; clock: Clock },
): void {
  const { isKnown, onCrowd, clock } = deps;
  const seats = createConnectionSeats<Socket>({ isKnown });
  const pace = createConnectionPace({ limits: PACE, clock });
  const provedOf = new WeakMap<Socket, () => void>();
  server.on('connection', (socket) => {
    const address = socket.remoteAddress ?? '';
    let isRead = false;
    const unhold = pace.enter(addressNetwork(address), {
      admit(proved) {
        isRead = true;
        provedOf.set(socket, proved);
        const leaving = seats.add(socket, address);
        if (leaving !== null) {
          onCrowd(leaving.remoteAddress ?? '');
          leaving.destroy();
        }
        socket.resume();
      },
      refuse: () => void socket.destroy(),
    });
    socket.once('close', () => {
      unhold();
      seats.remove(socket);
    });
    // Node.js begins to read it on the next tick, whatever is said before.
    if (!isRead) process.nextTick(() => isRead || socket.pause());
  });
  server.on('request', (request, response) => {
    const { socket } = request;
    seats.beginRequest(socket, request);
    response.once('close', () => {
      seats.endRequest(socket, request);
      // A response that was closed before it was sent has the status of a success.
      if (response.headersSent && response.statusCode < 400) provedOf.get(socket)?.();
    });
  });
  server.once('close', () => pace.close());
}

async function closeServer(server: Server, clock: Clock): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  // Without this, a connection that still waits for its answer would stay open for another request.
  server.keepAliveTimeout = 1;
  const drained = clock.setTimer(DRAIN_MS, () => server.closeAllConnections());
  await closed;
  drained.cancel();
}

/**
 * Says whether a page in a browser sent the request. Browsers show it by `Origin` in everything but a plain reading,
 * and by `Sec-Fetch-Site`; no page can leave them out. Programs of Node.js send `Sec-Fetch-Mode` alone.
 */
const isOfBrowser = ({ headers }: Pick<IncomingMessage, 'headers'>): boolean =>
  headers.origin !== undefined || headers['sec-fetch-site'] !== undefined;

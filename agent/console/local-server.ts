import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import type { Hono } from 'hono';
import type { Clock } from '../../shared/clock.js';
import { addressShareKey } from '../../shared/address-shares.js';
import { hostProblem } from '../../shared/request-host.js';
import { createConnectionPace, type PaceLimits } from '../../shared/connection-pace.js';
import { isLoopback } from '../../shared/remote-address.js';
import { systemClock } from '../../shared/system-clock.js';
import { createConnectionShares } from './connection-shares.js';

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
/** Cameras push every 10 s, or tell every minute that they live, on one connection. */
const KEEP_ALIVE_MS = 75_000;
/** How often Node.js looks for requests that take too long. */
const CHECK_MS = 1_000;
const DRAIN_MS = 5_000;
/**
 * Of connections on which nothing was taken yet: a push that is refused costs its connection, and whoever sends it again at once would
 * come hundreds of times a second. Every camera of an address that stands for several gives its turn back with each push that is taken.
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
 * @param options.isDevicePath whether devices post to a path: some name no host. No page in a browser leaves it out. Left out: none do
 * @param options.onCrowd called with the address of each connection that was closed to make room
 * @param options.onRefused called with each request that is no HTTP as this listener takes it
 * @param options.onError called with later failures, for example when no more files can be opened; the listener goes on
 */
export async function startLocalServer(options: {
  app: Hono;
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
  const listener = getRequestListener(app.fetch, { hostname: 'localhost' });
  const server = createBoundedServer(listener, {
    timeouts: { ...TIMEOUTS, ...options.timeouts },
    isDevicePath,
    onRefused,
  });
  shareConnections(server, { isKnown, onCrowd, clock });
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

/** What was refused before any route saw it. */
export interface RefusedRequest {
  address: string;
  /** For people. */
  reason: string;
  /** The path that it was for; null: it did not say. */
  path: string | null;
}

function createBoundedServer(
  listener: RequestListener,
  options: {
    timeouts: LocalTimeouts;
    isDevicePath: (path: string) => boolean;
    onRefused: (refused: RefusedRequest) => void;
  },
): Server {
  const { onRefused, isDevicePath } = options;
  const { headersMs, requestMs, stalledMs } = options.timeouts;
  const server = createServer(
    {
      // Some cameras name no host, as in HTTP/1.0, which is served too.
      requireHostHeader: false,
      keepAliveTimeout: KEEP_ALIVE_MS,
      headersTimeout: headersMs,
      requestTimeout: requestMs,
      connectionsCheckingInterval: Math.min(CHECK_MS, headersMs),
    },
    (request, response) => {
      // A page or a proxy that is told apart by its host is to be told apart by one.
      const problem = hostProblem(request);
      const { url = '', socket } = request;
      if (problem === null || (problem === 'missing' && isDevicePath(url))) {
        listener(request, response);
      } else {
        onRefused({ address: socket.remoteAddress ?? '', reason: HOST_REASONS[problem], path: url });
        response.writeHead(400, { connection: 'close' }).end();
      }
    },
  );
  server.timeout = stalledMs;
  server.on('request', (request, response) => {
    // Without a listener the connection would end, also while a complete push waits for the disk.
    response.on('timeout', () => {
      if (!request.complete) request.destroy();
    });
    response.on('finish', () => leaveUnread(request));
  });
  answerWhatIsNoRequest(server, onRefused);
  // Who has ended its side still waits for the answer: the types of Node.js do not know this.
  Object.assign(server, { httpAllowHalfOpen: true });
  return server;
}

const HOST_REASONS = {
  missing: 'its request names no host',
  several: 'its request names several hosts',
  other: 'its request names two different hosts',
} as const;

/** What these errors are answered; all others 400. */
const STATUS_LINES = new Map([
  ['ERR_HTTP_REQUEST_TIMEOUT', '408 Request Timeout'],
  ['HPE_HEADER_OVERFLOW', '431 Request Header Fields Too Large'],
]);

/** A whole request is answered, whatever stands behind it; only then its connection ends. What is none is refused, and told of. */
function answerWhatIsNoRequest(server: Server, onRefused: (refused: RefusedRequest) => void): void {
  const underWay = new WeakMap<Socket, { request: IncomingMessage; response: ServerResponse }>();
  const ending = new WeakSet<Socket>();
  server.on('request', (request, response) => {
    const { socket } = request;
    underWay.set(socket, { request, response });
    response.once('close', () => {
      if (underWay.get(socket)?.response === response) underWay.delete(socket);
    });
  });
  server.on('clientError', (error: NodeJS.ErrnoException & { rawPacket?: Buffer; reason?: string }, stream) => {
    const socket = stream as Socket;
    if (ending.has(socket)) return;
    ending.add(socket);
    const last = underWay.get(socket);
    if (last?.request.complete === true) {
      if (!last.response.headersSent) last.response.shouldKeepAlive = false;
      last.response.once('finish', () => socket.end());
      return;
    }
    const { code = '', rawPacket, reason = error.message } = error;
    // A connection that broke off says nothing of what is wrong with it.
    if (code !== 'ECONNRESET' && code !== 'EPIPE') {
      const path = last?.request.url ?? pathIn(rawPacket);
      onRefused({ address: socket.remoteAddress ?? '', reason: `its request is no HTTP: ${reason}`, path });
    }
    if (!socket.writable || last?.response.headersSent === true) socket.destroy();
    else
      socket.end(`HTTP/1.1 ${STATUS_LINES.get(code) ?? '400 Bad Request'}\r\nConnection: close\r\n\r\n`, () =>
        socket.destroy(),
      );
  });
}

/** The longest address of a push is shorter. */
const REQUEST_LINE_BYTES_MAX = 2_048;

function pathIn(packet: Buffer | undefined): string | null {
  const line = packet?.subarray(0, REQUEST_LINE_BYTES_MAX).toString('latin1') ?? '';
  return /^[A-Z]+ (\/\S*)/.exec(line)?.[1] ?? null;
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
function shareConnections(
  server: Server,
  deps: { isKnown: (address: string) => boolean; onCrowd: (address: string) => void; clock: Clock },
): void {
  const { isKnown, onCrowd, clock } = deps;
  const shares = createConnectionShares<Socket>({ isKnown });
  const pace = createConnectionPace({ limits: PACE, clock });
  const provedOf = new WeakMap<Socket, () => void>();
  server.on('connection', (socket) => {
    const address = socket.remoteAddress ?? '';
    let isRead = false;
    const unhold = pace.enter(addressShareKey(address), {
      admit(proved) {
        isRead = true;
        provedOf.set(socket, proved);
        const leaving = shares.add(socket, address);
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
      shares.remove(socket);
    });
    // Node.js begins to read it on the next tick, whatever is said before.
    if (!isRead) process.nextTick(() => isRead || socket.pause());
  });
  server.on('request', (request, response) => {
    const { socket } = request;
    shares.beginRequest(socket, request);
    response.once('close', () => {
      shares.endRequest(socket, request);
      // One that was closed unsent has the status of a success.
      if (response.headersSent && response.statusCode < 400) provedOf.get(socket)?.();
    });
  });
  server.once('close', () => pace.close());
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

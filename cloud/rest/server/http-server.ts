import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { Server as TlsServer, TLSSocket } from 'node:tls';
import { getRequestListener, RequestError } from '@hono/node-server';
import { addressNetwork } from '../../../shared/address-seats.js';
import type { Clock } from '../../../shared/clock.js';
import { createConnectionPace, PACE_LIMITS, type PaceLimits } from '../../../shared/connection-pace.js';
import { ApiError, INTERNAL, VALIDATION } from '../../../shared/errors.js';
import { createBoundedServer, hostRefusal, listen, type Refusal } from '../../../shared/node/bounded-server.js';
import { createSocketRoom, endsOf, type SocketRoom } from '../../kernel/limit/entry.js';
import type { TlsFiles } from '../../kernel/secrets/entry.js';
import { answerError, answerOf, errorOf } from './answer-socket.js';
import type { HttpApp } from '../request/endpoint.js';

const TIMEOUTS = {
  headersTimeout: 20_000,
  requestTimeout: 60_000,
  /** This is longer than the usual minute of proxies, which would otherwise send into connections that are just closing. */
  keepAliveTimeout: 65_000,
  /** Every half minute, as Node.js does it, all that came late in that time would be answered in one turn. */
  connectionsCheckingInterval: 1_000,
};

/** How long a client may read nothing of what is sent to it. */
const STALL_MS = 60_000;

const TLS_HANDSHAKE_TIMEOUT_MS = 10_000;

/** How long requests under way may take to end when the server stops. */
const DRAIN_MS = 5_000;

/** Port: what speaks WebSocket with who asks for it. */
export interface UpgradeHandler {
  /**
   * Owns the socket from then on. Resolves when the request is answered: the socket then counts as one of the handler's.
   * @param proved to be called when the other end has shown who it is. null: the connection is a proxy's, and was held to no pace
   */
  handleUpgrade(request: IncomingMessage, socket: Socket, head: Buffer, proved: (() => void) | null): Promise<void>;
  /** Ends its connections. Resolves when all their sockets are gone. */
  close(): Promise<void>;
}

export interface HttpServer {
  /** The port on which it listens, which is another one when 0 was asked for. */
  readonly port: number;
  /** Accepts no more requests, lets those under way end, and then ends realtime connections and what is left. Idempotent. */
  close(): Promise<void>;
}

/** How many connections there may be at once, those that were upgraded aside. */
const SOCKETS_MAX = 10_000;

export interface HttpServerOptions {
  app: HttpApp;
  realtime: UpgradeHandler;
  host: string;
  port: number;
  clock: Clock;
  /** Left out: it speaks without TLS. */
  tls?: TlsFiles | undefined;
  socketsMax?: number;
  /** Whether an address is that of a proxy, through which many clients come. */
  isProxy?: (address: string) => boolean;
  /** Of connections of which nothing was accepted yet. */
  pace?: Partial<PaceLimits> | undefined;
  /** For tests. */
  stallMs?: number;
}

/** Listens. Throws when it cannot, and says what to do about it. */
export async function startHttpServer(options: HttpServerOptions): Promise<HttpServer> {
  const { app, realtime, host, port, clock, tls, socketsMax = SOCKETS_MAX, isProxy, stallMs = STALL_MS } = options;
  const answer = getRequestListener(app.fetch, { hostname: host, errorHandler: answerFailed });
  const made = { listener: answer, timeouts: TIMEOUTS, answer: (refusal: Refusal) => answerOf(errorOf(refusal)) };
  const tlsServer =
    tls &&
    createBoundedServer({
      ...made,
      create: (given, listener) =>
        createTlsServer({ ...given, ...tls.options, handshakeTimeout: TLS_HANDSHAKE_TIMEOUT_MS }, listener),
    });
  const following = tlsServer && tls?.follow(tlsServer);
  const server: Server = tlsServer ?? createBoundedServer({ ...made, create: createServer });
  const room = createSocketRoom({ placesMax: socketsMax, isProxy });
  room.follow(server);
  const pace = paceConnections(server, { limits: { ...PACE_LIMITS, ...options.pace }, isProxy, clock });
  const requests = followRequests(server, { room, provedOf: pace.provedOf });
  cutStalled(server, { requests, stallMs });
  server.on('upgrade', (request, upgraded, head) => {
    // The types allow any stream, as somebody might emit the event.
    const socket = upgraded as Socket;
    if (request.headers.upgrade?.toLowerCase() !== 'websocket') {
      serveWithoutUpgrade(server, { request, socket, head });
      return;
    }
    const refusal = hostRefusal(request);
    if (refusal !== null) {
      answerError(socket, errorOf(refusal));
      return;
    }
    room.setBusy(socket, true);
    void realtime.handleUpgrade(request, socket, head, pace.provedOf(socket)).finally(() => room.leave(socket));
  });
  await listen(server, { host, port, settings: { host: 'HOST', port: 'PORT' } });
  let closing: Promise<void> | undefined;
  return {
    port: (server.address() as AddressInfo).port,
    close() {
      following?.cancel();
      pace.close();
      closing ??= closeServer(server, { requests, realtime, clock });
      return closing;
    },
  };
}

/** Answers what fails before the app gets the request: an address that is none. */
function answerFailed(cause: unknown): Response {
  const error =
    cause instanceof RequestError
      ? new ApiError(VALIDATION, { status: 400, message: 'The address of the request is not valid' })
      : new ApiError(INTERNAL);
  const { body, ...rest } = answerOf(error);
  return new Response(body, rest);
}

async function closeServer(
  server: Server,
  deps: { requests: ActiveRequests; realtime: UpgradeHandler; clock: Clock },
): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  await new Promise<void>((resolve) => {
    const timer = deps.clock.setTimer(DRAIN_MS, resolve);
    deps.requests.whenNone(() => {
      timer.cancel();
      resolve();
    });
  });
  // Upgraded sockets no longer belong to the HTTP server, but it waits for them.
  await deps.realtime.close();
  server.closeAllConnections();
  await closed;
}

/**
 * Ends a connection when nothing of what was written moves on for so long. An answer that is not written yet may take its time. The time is
 * that of the server's connections, because one for each answer costs a request more than its checks.
 */
function cutStalled(server: Server, { requests, stallMs }: { requests: ActiveRequests; stallMs: number }): void {
  server.setTimeout(stallMs, (socket: Socket) => {
    if (socket.writableLength > 0) socket.resetAndDestroy();
    // The server leaves it to this listener, too, to end a connection that was kept without a request for long enough.
    else if (!requests.isAnswering(socket)) socket.destroy();
  });
}

interface Pace {
  /** @returns to be called when the other end of a connection has shown that it is honest; null: it is held to no pace */
  provedOf(socket: Socket): (() => void) | null;
  /** Cuts the connections that wait. */
  close(): void;
}

/**
 * Connections come in at the pace of their address. Of one that has to wait nothing is read, neither a handshake of TLS nor a request, so that
 * a crowd costs little more than its sockets.
 */
function paceConnections(
  server: Server,
  deps: { limits: PaceLimits; isProxy: ((address: string) => boolean) | undefined; clock: Clock },
): Pace {
  const { limits, isProxy = () => false, clock } = deps;
  const pace = createConnectionPace({ limits, clock });
  /** By the two ends, because the socket that speaks TLS is not the socket that was let in. null: no pace. */
  const proofs = new Map<string, (() => void) | null>();
  const [serve] = server.listeners('connection') as ((this: Server, socket: Socket) => void)[];
  if (serve === undefined) throw new Error('Node.js serves connections in another way');
  server.removeListener('connection', serve);
  // An HTTP server has the setting of its kind, but its options and types do not.
  Object.assign(server, { pauseOnConnect: true });
  server.on('secureConnection', (socket: TLSSocket) => socket.resume());
  server.on('connection', (socket) => {
    const ends = endsOf(socket);
    // A request without its offer of another protocol comes again on its connection.
    if (proofs.has(ends)) return serve.call(server, socket);
    const address = socket.remoteAddress ?? '';
    const isProxied = isProxy(address);
    const leave = pace.enter(isProxied ? null : addressNetwork(address), {
      admit(proved) {
        proofs.set(ends, isProxied ? null : proved);
        serve.call(server, socket);
        // The socket that speaks TLS reads by itself.
        if (!(server instanceof TlsServer)) socket.resume();
      },
      refuse: () => socket.destroy(),
    });
    socket.once('close', () => {
      leave();
      proofs.delete(ends);
    });
  });
  return { provedOf: (socket) => proofs.get(endsOf(socket)) ?? null, close: () => pace.close() };
}

interface ActiveRequests {
  isAnswering(socket: Socket): boolean;
  /** Calls the listener once, as soon as no request is being answered. */
  whenNone(listener: () => void): void;
}

/** Connections on which a request is answered stay longer than those that are idle, or have not sent all of a request's headers. */
function followRequests(
  server: Server,
  { room, provedOf }: { room: SocketRoom; provedOf: Pace['provedOf'] },
): ActiveRequests {
  let active = 0;
  let notify: (() => void) | undefined;
  const answering = new WeakMap<Socket, ServerResponse>();
  server.on('request', ({ socket }, response) => {
    active += 1;
    answering.set(socket, response);
    room.setBusy(socket, true);
    response.once('close', () => {
      active -= 1;
      if (active === 0) notify?.();
      // A response that was closed before it was sent has the status of a success.
      if (response.headersSent && response.statusCode < 400) provedOf(socket)?.();
      // The next request of a client that sends several at once may have begun.
      if (answering.get(socket) !== response) return;
      answering.delete(socket);
      room.setBusy(socket, false);
    });
  });
  return {
    isAnswering: (socket) => answering.has(socket),
    whenNone(listener) {
      notify = listener;
      if (active === 0) listener();
    },
  };
}

/**
 * A client that offers another protocol (some offer h2c with their first request) gets its answer in HTTP/1.1: the request
 * goes back to the server without the offer.
 */
function serveWithoutUpgrade(
  server: Server,
  upgrade: { request: IncomingMessage; socket: Socket; head: Buffer },
): void {
  const { request, socket, head } = upgrade;
  const lines = [`${request.method} ${request.url} HTTP/${request.httpVersion}`];
  for (let at = 0; at < request.rawHeaders.length; at += 2) {
    const name = request.rawHeaders[at] ?? '';
    if (!/^(upgrade|connection|http2-settings)$/i.test(name)) lines.push(`${name}: ${request.rawHeaders[at + 1]}`);
  }
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]));
  // What came over TLS is past its handshake.
  server.emit(socket instanceof TLSSocket ? 'secureConnection' : 'connection', socket);
}

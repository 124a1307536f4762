import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Registry } from 'prom-client';
import { type ServerOptions, WebSocket, WebSocketServer } from 'ws';
import type { Clock } from '../../../shared/clock.js';
import { addressNetwork } from '../../../shared/address-seats.js';
import { ApiError, INTERNAL, NO_PERMISSION, NOT_FOUND, UNAUTHORIZED, VALIDATION } from '../../../shared/errors.js';
import type { Logger } from '../../../shared/logger.js';
import type { Authenticate, Caller } from '../../kernel/auth/entry.js';
import { type ConnectionPace, createConnectionPace, type PaceLimits } from '../../../shared/connection-pace.js';
import type { Connection } from './connection.js';
import { type FirstMessage, waitForAuthorization } from './first-message.js';
import { parseCursor } from './cursor.js';
import { refuseFlood } from './frame-allowance.js';
import { type AllowedOrigins, BEARER_SUBPROTOCOL, isAllowedOrigin, readHandshake, REALTIME_PATH } from './handshake.js';
import { CLIENT_FRAME_BYTES_MAX, CLOSE_RESTART, CLOSE_TRY_AGAIN_LATER } from './realtime-frames.js';
import type { RealtimeHub } from './realtime-hub.js';
import { measureRooms } from './realtime-metrics.js';
import { createRealtimeRooms, type RealtimeRooms, type RoomLimits, type Seat } from './realtime-rooms.js';
import type { RealtimeSocket } from './realtime-socket.js';
import { type AddressOf, answerError, knownError } from '../../rest/entry.js';
import { errorText } from '../../../shared/error-text.js';

/** How long closing handshakes may take before the sockets are cut. */
const CLOSE_GRACE_MS = 3_000;
/** How long a peer may take to answer a closing frame. A slow one has to read a full buffer before the closing frame with 4429. */
const CLOSE_ANSWER_MS = 30_000;
/** How many fragments a message of a client may have; no honest client sends more. */
const FRAGMENTS_MAX = 64;
const BUFFERED_CHUNKS_MAX = 2_048;

/** The WebSocket end of the HTTP server: handles its `upgrade` events. */
export interface RealtimeServer {
  /** @param proved to be called when the other end has shown its token. null: a proxy's connection, on which the client is held to the pace here */
  handleUpgrade(request: IncomingMessage, socket: Socket, head: Buffer, proved: (() => void) | null): Promise<void>;
  /** Says goodbye to every client (1012) and resolves when all sockets are gone. */
  close(): Promise<void>;
}

interface RealtimeServerDeps {
  hub: RealtimeHub;
  authenticate: Authenticate;
  addressOf: AddressOf;
  /** Returns the origins of pages that may connect. */
  origins: () => AllowedOrigins;
  clock: Clock;
  logger: Logger;
  limits: RoomLimits;
  /** Of connections without a token that come through a proxy. */
  pace: PaceLimits;
  registry: Registry;
}

export function createRealtimeServer(deps: RealtimeServerDeps): RealtimeServer {
  const { hub, authenticate, addressOf, origins, clock, logger } = deps;
  const server = createSocketServer();
  const rooms = createRealtimeRooms(deps.limits);
  measureRooms(deps.registry, rooms.sizes);
  const receive = createReception(deps, rooms);
  const pace = createConnectionPace({ limits: deps.pace, clock });
  let closing = false;

  const upgrade = async (request: IncomingMessage, socket: Socket, head: Buffer, given: (() => void) | null) => {
    const url = URL.canParse(request.url ?? '', 'http://cloud') ? new URL(request.url ?? '', 'http://cloud') : null;
    if (url?.pathname !== REALTIME_PATH) throw new ApiError(NOT_FOUND);
    if (!isAllowedOrigin(request.headers.origin, origins())) {
      throw new ApiError(NO_PERMISSION, {
        message: 'Pages of this origin may not connect: CORS_ORIGINS names those that may',
      });
    }
    const handshake = readHandshake({
      query: url.searchParams,
      authorization: request.headers.authorization,
      subprotocols: request.headers['sec-websocket-protocol'],
    });
    const address = addressOf(request);
    const caller = handshake.token === null ? null : await authenticate(handshake.token, address);
    if (handshake.token !== null && caller === null) throw new ApiError(UNAUTHORIZED);
    const proved = given ?? (caller === null ? await turnOf(pace, { address, socket }) : () => {});
    if (socket.destroyed) return;
    const seat: Seat = { close: () => socket.destroy() };
    const isSeated = caller === null ? rooms.wait(seat, address) : rooms.open(seat, caller.account_id);
    if (closing || !isSeated) {
      rooms.leave(seat);
      throw noRoom();
    }
    // A peer that does not answer the closing frame keeps its place until the socket is gone.
    socket.once('close', () => rooms.leave(seat));
    server.handleUpgrade(request, socket, head, (ws) => {
      seat.close = () => {
        ws.close(CLOSE_TRY_AGAIN_LATER, 'too many connections: try again later');
        ws.terminate();
      };
      receive({ ws, wire: socket, seat, caller, address, proved, lastEventId: handshake.lastEventId });
    });
  };

  return {
    handleUpgrade(request, socket, head, proved) {
      const cut = () => socket.destroy();
      socket.on('error', cut);
      return upgrade(request, socket, head, proved)
        .catch((error: unknown) => {
          if (!(error instanceof ApiError)) logger.error({ err: error }, 'a realtime connection could not be opened');
          answerError(socket, knownError(error) ?? new ApiError(INTERNAL));
        })
        .finally(() => socket.off('error', cut));
    },

    async close() {
      closing = true;
      pace.close();
      hub.close();
      const gone = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const ws of server.clients) ws.close(CLOSE_RESTART);
      const grace = clock.setTimer(CLOSE_GRACE_MS, () => {
        for (const ws of server.clients) ws.terminate();
      });
      await gone;
      grace.cancel();
    },
  };
}

function createSocketServer(): WebSocketServer {
  // The types do not know `closeTimeout` yet.
  const options: ServerOptions & { closeTimeout: number } = {
    noServer: true,
    perMessageDeflate: false,
    maxPayload: CLIENT_FRAME_BYTES_MAX,
    maxFragments: FRAGMENTS_MAX,
    maxBufferedChunks: BUFFERED_CHUNKS_MAX,
    closeTimeout: CLOSE_ANSWER_MS,
    handleProtocols: (offered) => (offered.has(BEARER_SUBPROTOCOL) ? BEARER_SUBPROTOCOL : false),
  };
  const server = new WebSocketServer(options);
  server.on('wsClientError', (error, socket) => {
    answerError(socket, new ApiError(VALIDATION, { status: 400, message: errorText(error) }), {
      'Sec-WebSocket-Version': '13',
    });
  });
  return server;
}

const noRoom = () =>
  new ApiError(INTERNAL, { status: 503, message: 'No more realtime connections now: try again later' });

/**
 * Waits until a connection without a token may come in.
 * @returns to be called when it has shown one
 * @throws ApiError when it waited too long
 */
function turnOf(pace: ConnectionPace, { address, socket }: { address: string; socket: Duplex }): Promise<() => void> {
  return new Promise((resolve, reject) => {
    const leave = pace.enter(addressNetwork(address), { admit: resolve, refuse: () => reject(noRoom()) });
    socket.once('close', () => {
      leave();
      resolve(() => {});
    });
  });
}

/** @returns a function that opens connections on upgraded sockets: at once if the token was accepted, else with the first message */
function createReception({ hub, authenticate, clock, logger }: RealtimeServerDeps, rooms: RealtimeRooms) {
  return (upgraded: {
    ws: WebSocket;
    wire: Duplex;
    seat: Seat;
    caller: Caller | null;
    address: string;
    proved: () => void;
    lastEventId: string | null;
  }) => {
    const { ws, wire, seat, caller, address, proved, lastEventId } = upgraded;
    const socket = new WsRealtimeSocket(ws, wire);
    const cursor = lastEventId === null ? null : (parseCursor(lastEventId) ?? 'unknown');
    const open = (accepted: Caller) => hub.open(socket, accepted, cursor);
    let party: Connection | FirstMessage;
    if (caller === null) {
      party = waitForAuthorization({
        socket,
        authenticate: (token) => authenticate(token, address),
        clock,
        logger,
        authorized: (accepted) => {
          proved();
          const connection = open(accepted);
          party = connection;
          if (!rooms.open(seat, accepted.account_id)) seat.close();
          return connection;
        },
      });
    } else {
      proved();
      party = open(caller);
    }
    // When a frame breaks the protocol or is too big, ws itself closes with the right code.
    ws.on('error', (error) => logger.debug({ err: error }, 'realtime connection failed'));
    ws.on('close', () => {
      // The token may have been accepted when the socket was gone already.
      rooms.leave(seat);
      party.ended();
    });
    const counted = refuseFlood({ ws, clock, refused: () => party.ended() });
    // ws answers each ping, and the answers pile up if the client does not read them.
    ws.on('ping', () => counted());
    ws.on('pong', () => counted() && party.pong());
    ws.on('message', (data, isBinary) => counted() && party.receive(isBinary ? '' : data.toString()));
  };
}

/**
 * Frames are encoded once for all their sockets and written to the wire without ws, which would need a header and two writes for each.
 * ws writes only whole frames here (no fragments, no compression), so our frames always come between two of its own.
 * This is a class because each event touches thousands of sockets: without closures that is half the memory.
 */
class WsRealtimeSocket implements RealtimeSocket {
  readonly #ws: WebSocket;
  readonly #wire: Duplex;

  /** @param wire the socket under the WebSocket */
  constructor(ws: WebSocket, wire: Duplex) {
    this.#ws = ws;
    this.#wire = wire;
  }

  get bufferedBytes(): number {
    return this.#wire.writableLength;
  }

  send(frames: Buffer, flushed?: () => void): void {
    // Nothing may follow the closing frame.
    if (this.#ws.readyState === WebSocket.OPEN) this.#wire.write(frames, flushed);
    else flushed?.();
  }

  cork(): void {
    this.#wire.cork();
  }

  uncork(): void {
    this.#wire.uncork();
  }

  ping(): void {
    if (this.#ws.readyState === WebSocket.OPEN) this.#ws.ping();
  }

  close(code: number, reason: string): void {
    this.#ws.close(code, reason);
  }

  terminate(): void {
    this.#ws.terminate();
  }
}

/** The listener of the embedded broker, with TLS or without: lets connections in at the pace of their address, before anything is read. */
import { createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { addressNetwork } from '../../../shared/address-seats.js';
import type { Clock } from '../../../shared/clock.js';
import { createConnectionPace, PACE_LIMITS, type PaceLimits } from '../../../shared/connection-pace.js';
import { endsOf, type SocketRoom } from '../../kernel/limit/entry.js';
import type { TlsFiles } from '../../kernel/secrets/entry.js';

export interface PacedListener {
  /** For the caller to listen with, and to close. */
  server: Server;
  /** Cuts all connections. */
  end(): void;
}

/**
 * @param options.strangers holds the connections that were let in and have not shown who they are
 * @param options.serve serves a connection whose turn it is; it calls `proved` when the other end has shown who it is
 * @param options.isProxy whether an address is that of a proxy, which is held to no pace
 */
export function createPacedListener(options: {
  strangers: SocketRoom;
  serve(socket: Socket, proved: () => void): void;
  clock: Clock;
  handshakeTimeoutMs: number;
  tls?: TlsFiles | undefined;
  isProxy?: (address: string) => boolean;
  pace?: Partial<PaceLimits>;
}): PacedListener {
  const { strangers, serve, clock, handshakeTimeoutMs: handshakeTimeout, tls, isProxy = () => false } = options;
  const pace = createConnectionPace({ limits: { ...PACE_LIMITS, ...options.pace }, clock });
  /** By the two ends of a connection, because the socket that speaks TLS is not the socket that was let in. */
  const proofs = new Map<string, () => void>();
  const provedOf = (socket: Socket) => proofs.get(endsOf(socket)) ?? (() => {});
  const tlsServer =
    tls && createTlsServer({ ...tls.options, handshakeTimeout }, (socket) => serve(socket, provedOf(socket)));
  const following = tlsServer && tls?.follow(tlsServer);

  const sockets = new Set<Socket>();
  const server = createServer({ keepAlive: true, keepAliveInitialDelay: 15_000, noDelay: true, pauseOnConnect: true });
  server.on('connection', (socket) => {
    const ends = endsOf(socket);
    const address = socket.remoteAddress ?? '';
    sockets.add(socket);
    socket.once('close', () => {
      sockets.delete(socket);
      proofs.delete(ends);
    });
    const leave = pace.enter(isProxy(address) ? null : addressNetwork(address), {
      admit(proved) {
        proofs.set(ends, proved);
        strangers.enter(socket);
        if (tlsServer === undefined) serve(socket, proved);
        else tlsServer.emit('connection', socket);
      },
      refuse: () => socket.destroy(),
    });
    socket.once('close', leave);
  });

  return {
    server,
    end() {
      following?.cancel();
      pace.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** The connections of a listener that stand in one room with a limited number of places, shared by address. */
import type { Server, Socket } from 'node:net';
import { addressNetwork, createAddressSeats } from '../../../shared/address-seats.js';

export interface SocketRoom {
  /** Gives each connection of the server a place from its first moment. */
  follow(server: Server): void;
  /** Gives a connection a place, and cuts the one that loses its place for it. */
  enter(socket: Socket): void;
  /** A busy connection goes later than an idle one. */
  setBusy(socket: Socket, isBusy: boolean): void;
  /** Frees the place of a connection that goes on, and is counted elsewhere from now on. */
  leave(socket: Socket): void;
  readonly size: number;
}

/** @param options.isProxy whether many clients stand behind an address, which is then held to no share */
export function createSocketRoom(options: {
  placesMax: number;
  isProxy?: ((address: string) => boolean) | undefined;
}): SocketRoom {
  const { placesMax, isProxy = () => false } = options;
  /** By the two ends: the socket that speaks TLS is another object than the TCP connection below it, which is the one that is counted. */
  const sockets = new Map<string, Socket>();
  const seats = createAddressSeats<string>({ placesMax });

  const enter = (socket: Socket) => {
    const place = endsOf(socket);
    if (sockets.has(place)) return;
    const address = socket.remoteAddress ?? '';
    sockets.set(place, socket);
    socket.once('close', () => {
      seats.leave(place);
      if (sockets.get(place) === socket) sockets.delete(place);
    });
    const gone = seats.enter(place, isProxy(address) ? null : addressNetwork(address));
    if (gone !== null) sockets.get(gone)?.destroy();
  };

  return {
    follow: (server) => void server.on('connection', enter),
    enter,
    setBusy: (socket, isBusy) => seats.setBusy(endsOf(socket), isBusy),
    leave: (socket) => seats.leave(endsOf(socket)),
    get size() {
      return seats.size;
    },
  };
}

/** A connection that has ended no longer knows its ends. */
const known = new WeakMap<Socket, string>();

/** The two ends of a connection: the same text for the socket that speaks TLS and for the TCP connection below it. */
export function endsOf(socket: Socket): string {
  let ends = known.get(socket);
  if (ends === undefined) {
    const { remoteAddress, remotePort, localAddress, localPort } = socket;
    ends = `${remoteAddress} ${remotePort} ${localAddress} ${localPort}`;
    known.set(socket, ends);
  }
  return ends;
}

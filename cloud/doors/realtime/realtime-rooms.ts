/**
 * The rooms of the realtime connections. In one, connections without a token wait; its places are shared by address. The other is for
 * connections with an accepted token; its places are shared by account. An address or account that fills a room shuts out no other.
 */
import { addressNetwork, type AddressSeats, createAddressSeats } from '../../../shared/address-seats.js';

export interface RoomLimits {
  connectionsMax: number;
  /** How many may be without a token at once. */
  waitingMax: number;
}

export const ROOM_LIMITS: RoomLimits = { connectionsMax: 20_000, waitingMax: 1_000 };

/** A connection as its rooms know it. */
export interface Seat {
  /** Ends the connection, because its place goes to another. */
  close(): void;
}

export interface RealtimeRooms {
  /** How many connections are in each room. */
  readonly sizes: { readonly waiting: number; readonly open: number };
  /** Seats a connection without a token. If another one has to make room, that one is closed. @returns false: there is no place */
  wait(seat: Seat, address: string): boolean;
  /**
   * Moves a connection to the room of accepted ones. If another one has to make room, it is one of the account with most connections, and is
   * closed. @returns false: there is no place, because the account itself has most connections
   */
  open(seat: Seat, accountId: number): boolean;
  /** Idempotent. */
  leave(seat: Seat): void;
}

export function createRealtimeRooms({ connectionsMax, waitingMax }: RoomLimits): RealtimeRooms {
  const waiting = createAddressSeats<Seat>({ placesMax: waitingMax });
  const open = createAddressSeats<Seat>({ placesMax: connectionsMax });

  const enter = (room: AddressSeats<Seat>, seat: Seat, key: string) => {
    const gone = room.enter(seat, key);
    if (gone !== null && gone !== seat) gone.close();
    return gone !== seat;
  };

  return {
    sizes: {
      get waiting() {
        return waiting.size;
      },
      get open() {
        return open.size;
      },
    },
    wait: (seat, address) => enter(waiting, seat, addressNetwork(address)),
    open(seat, accountId) {
      waiting.leave(seat);
      const isSeated = enter(open, seat, String(accountId));
      // A full account keeps the connections that it has, and gets no further one.
      open.setBusy(seat, true);
      return isSeated;
    },
    leave(seat) {
      waiting.leave(seat);
      open.leave(seat);
    },
  };
}

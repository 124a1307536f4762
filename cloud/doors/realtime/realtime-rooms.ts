/**
 * The rooms of the realtime connections: one in which those without a token wait, shared by address, and one for those that have shown
 * theirs, shared by account. Who fills a room shuts out nobody else.
 */
import { addressShareKey, type AddressShares, createAddressShares } from '../../../shared/address-shares.js';

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
  /** Seats a connection without a token. The one that has to go for it is closed. @returns false: there is no place for it */
  wait(seat: Seat, address: string): boolean;
  /** Seats a connection of the account, which no longer waits; likewise. An account that holds most loses to others, and gets no more. */
  open(seat: Seat, accountId: number): boolean;
  /** Idempotent. */
  leave(seat: Seat): void;
}

export function createRealtimeRooms({ connectionsMax, waitingMax }: RoomLimits): RealtimeRooms {
  const waiting = createAddressShares<Seat>({ placesMax: waitingMax });
  const open = createAddressShares<Seat>({ placesMax: connectionsMax });

  const enter = (room: AddressShares<Seat>, seat: Seat, key: string) => {
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
    wait: (seat, address) => enter(waiting, seat, addressShareKey(address)),
    open(seat, accountId) {
      waiting.leave(seat);
      const isSeated = enter(open, seat, String(accountId));
      // The connections that an account has are worth more to it than one more.
      open.setBusy(seat, true);
      return isSeated;
    },
    leave(seat) {
      waiting.leave(seat);
      open.leave(seat);
    },
  };
}

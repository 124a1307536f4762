/**
 * Shares out the places for connections, so that a client with many connections does not keep out others. Each address has a share, and all
 * unknown addresses together have fewer places than there are. When a share is full, a new connection replaces the oldest idle one of its
 * address; when all places are full, it replaces the oldest idle one of the address that holds most. A connection is idle while no
 * request on it is being answered. When the address has no idle connection, the one whose request has been arriving for longest is
 * closed, because a slow sender must not keep out a camera behind the same address. A request that has arrived is always answered.
 */
import { addressNetwork } from '../../shared/address-seats.js';

const LIMITS: ConnectionLimits = {
  /** Several cameras behind one recorder, and the demo, whose cameras are all on this device. */
  known: { perAddress: 64, inAll: 160 },
  unknown: { perAddress: 16, inAll: 96 },
};

interface Places {
  perAddress: number;
  inAll: number;
}

export interface ConnectionLimits {
  known: Places;
  unknown: Places;
}

export interface ConnectionSeats<Connection> {
  /** Returns the connection that has to be closed: the new one when all others have to be answered; null: there was room. */
  add(connection: Connection, address: string): Connection | null;
  /** Notes that a request is being answered until `endRequest`. There may be several, and the last may still be arriving. */
  beginRequest(connection: Connection, request: ArrivingRequest): void;
  endRequest(connection: Connection, request: ArrivingRequest): void;
  remove(connection: Connection): void;
  readonly size: number;
}

/** `complete`: the whole request has arrived, as an `IncomingMessage` says. */
export interface ArrivingRequest {
  readonly complete: boolean;
}

interface Place<Connection> {
  connection: Connection;
  network: string;
  isKnown: () => boolean;
  requests: Set<ArrivingRequest>;
}

const isIdle = ({ requests }: Pick<Place<unknown>, 'requests'>) => requests.size === 0;
const isArriving = ({ requests }: Pick<Place<unknown>, 'requests'>) =>
  requests.size > 0 && [...requests].every(({ complete }) => !complete);

export function createConnectionSeats<Connection>(options: {
  isKnown: (address: string) => boolean;
  limits?: ConnectionLimits;
}): ConnectionSeats<Connection> {
  const { isKnown, limits = LIMITS } = options;
  /** In the order in which their last request began or ended, or they were opened. */
  const places = new Map<Connection, Place<Connection>>();

  const countBy = (some: Place<Connection>[]): Map<string, number> => {
    const counts = new Map<string, number>();
    for (const { network } of some) counts.set(network, (counts.get(network) ?? 0) + 1);
    return counts;
  };

  /** Chooses which connection leaves when there are too many like the new one; undefined: there are not. */
  function leavingFor(added: Place<Connection>): Place<Connection> | undefined {
    const isNewKnown = added.isKnown();
    const alike = [...places.values()].filter((place) => place.isKnown() === isNewKnown);
    const { perAddress, inAll } = isNewKnown ? limits.known : limits.unknown;
    const held = countBy(alike);
    if ((held.get(added.network) ?? 0) > perAddress) return leavingOf(alike, added, added.network);
    if (alike.length <= inAll) return undefined;
    // The new connection is counted, too, so that no other address makes room for the address that holds most.
    const mayLeave = alike.filter((place) => isIdle(place) || isArriving(place));
    const most = Math.max(...mayLeave.map(({ network }) => held.get(network) ?? 0));
    const from = mayLeave.find(({ network }) => held.get(network) === most);
    return leavingOf(mayLeave, added, from?.network ?? added.network);
  }

  /** Chooses among the connections of an address; the new one itself only when all others have to be answered. */
  function leavingOf(some: Place<Connection>[], added: Place<Connection>, of: string): Place<Connection> {
    const others = some.filter((place) => place !== added && place.network === of);
    return others.find(isIdle) ?? others.find(isArriving) ?? added;
  }

  const moveToEnd = (place: Place<Connection>) => {
    places.delete(place.connection);
    places.set(place.connection, place);
  };

  return {
    add(connection, address) {
      const added: Place<Connection> = {
        connection,
        network: addressNetwork(address),
        isKnown: () => isKnown(address),
        requests: new Set(),
      };
      places.set(connection, added);
      const leaving = leavingFor(added);
      if (leaving === undefined) return null;
      places.delete(leaving.connection);
      return leaving.connection;
    },
    beginRequest(connection, request) {
      const place = places.get(connection);
      if (place === undefined) return;
      place.requests.add(request);
      moveToEnd(place);
    },
    endRequest(connection, request) {
      const place = places.get(connection);
      if (place?.requests.delete(request)) moveToEnd(place);
    },
    remove: (connection) => void places.delete(connection),
    get size() {
      return places.size;
    },
  };
}

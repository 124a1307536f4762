/**
 * Shares out the places for connections, so that nobody who opens many keeps out others: each address has a share, and addresses that
 * are not known have all together fewer places than there are. When a share is full, the new connection has the place of the oldest
 * idle one of its address; when all places are full, that of the oldest idle one of the address that holds most. A connection is idle
 * while no request on it is being answered, also before its first.
 */
import { networkOf } from './remote-address.js';

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

export interface ConnectionShares<Connection> {
  /** Returns the connection that has to be closed for it: itself when no other is idle; null: there was room. */
  add(connection: Connection, address: string): Connection | null;
  /** A request on it is being answered until `endRequest`; there may be several. */
  beginRequest(connection: Connection): void;
  endRequest(connection: Connection): void;
  remove(connection: Connection): void;
  readonly size: number;
}

interface Place<Connection> {
  connection: Connection;
  network: string;
  isKnown: () => boolean;
  requests: number;
}

export function createConnectionShares<Connection>(options: {
  isKnown: (address: string) => boolean;
  limits?: ConnectionLimits;
}): ConnectionShares<Connection> {
  const { isKnown, limits = LIMITS } = options;
  /** In the order in which they became idle, or were opened. */
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
    if ((held.get(added.network) ?? 0) > perAddress) {
      return alike.find(({ network, requests }) => network === added.network && requests === 0);
    }
    if (alike.length <= inAll) return undefined;
    const idle = alike.filter(({ requests }) => requests === 0);
    const most = Math.max(...idle.map(({ network }) => held.get(network) ?? 0));
    return idle.find(({ network }) => held.get(network) === most);
  }

  return {
    add(connection, address) {
      const added = { connection, network: networkOf(address), isKnown: () => isKnown(address), requests: 0 };
      places.set(connection, added);
      const leaving = leavingFor(added);
      if (leaving === undefined) return null;
      places.delete(leaving.connection);
      return leaving.connection;
    },
    beginRequest(connection) {
      const place = places.get(connection);
      if (place !== undefined) place.requests += 1;
    },
    endRequest(connection) {
      const place = places.get(connection);
      if (place === undefined) return;
      place.requests -= 1;
      places.delete(connection);
      places.set(connection, place);
    },
    remove: (connection) => void places.delete(connection),
    get size() {
      return places.size;
    },
  };
}

import type { Connection } from './connection.js';
import { batchEvents, EVERY_EVENT, type EventBatch } from './event-batch.js';
import type { OutgoingEvent } from './outgoing-event.js';
import type { RealtimeSocket } from './realtime-socket.js';

/** The open connections of one account. */
export interface Audience {
  readonly size: number;
  /** Adds a connection, or notes that its `unfiltered` has changed. */
  place(connection: Connection): void;
  delete(connection: Connection): void;
  [Symbol.iterator](): Iterator<Connection>;
  /** Delivers the events of one commit to all of them. */
  push(events: readonly OutgoingEvent[]): void;
}

/**
 * Connections that hear every event are kept as bare sockets in a list of their own, because a push to thousands of connections is slowed
 * down by all memory that it touches besides the write.
 * @param bufferedBytesMax a connection with more unsent bytes delivers the events itself
 */
export function createAudience(bufferedBytesMax: number): Audience {
  /** By place: a socket that hears everything, and its connection. */
  const sockets: RealtimeSocket[] = [];
  const hearers: Connection[] = [];
  const placeOf = new Map<Connection, number>();
  const others = new Set<Connection>();

  const addHearer = (connection: Connection, socket: RealtimeSocket) => {
    if (placeOf.has(connection)) return;
    placeOf.set(connection, sockets.length);
    sockets.push(socket);
    hearers.push(connection);
  };
  /** Moves the last socket into the place of the deleted one. */
  const deleteHearer = (connection: Connection) => {
    const place = placeOf.get(connection);
    const lastSocket = sockets.at(-1);
    const lastHearer = hearers.at(-1);
    if (place === undefined || lastSocket === undefined || lastHearer === undefined) return;
    sockets[place] = lastSocket;
    hearers[place] = lastHearer;
    placeOf.set(lastHearer, place);
    sockets.pop();
    hearers.pop();
    placeOf.delete(connection);
  };
  /** @returns the connections with too many unsent bytes: an event may close them, which would change this list during the loop */
  const pushToHearers = (batches: readonly EventBatch[]): Connection[] => {
    const slow: Connection[] = [];
    if (sockets.length === 0) return slow;
    const everything = batches.map((batch) => batch.frames(EVERY_EVENT));
    for (let place = 0; place < sockets.length; place++) {
      const socket = sockets[place] as RealtimeSocket;
      if (socket.bufferedBytes > bufferedBytesMax) slow.push(hearers[place] as Connection);
      else for (const frames of everything) socket.send(frames);
    }
    return slow;
  };

  return {
    get size() {
      return sockets.length + others.size;
    },
    place(connection) {
      const { unfiltered } = connection;
      if (unfiltered === null) {
        deleteHearer(connection);
        others.add(connection);
      } else {
        others.delete(connection);
        addHearer(connection, unfiltered);
      }
    },
    delete(connection) {
      deleteHearer(connection);
      others.delete(connection);
    },
    *[Symbol.iterator]() {
      yield* hearers;
      yield* others;
    },
    push(events) {
      const batches = batchEvents(events);
      const slow = pushToHearers(batches);
      // A delivery may end a connection, or make it hear everything, which removes it from the set. A set allows that during the loop.
      for (const connection of others) connection.deliver(batches);
      for (const connection of slow) connection.deliver(batches);
    },
  };
}

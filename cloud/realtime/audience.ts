import type { Connection } from './connection.js';
import { batchEvents, EVERY_EVENT, type EventBatch } from './event-batch.js';
import type { OutgoingEvent } from './outgoing-event.js';
import type { RealtimeSocket } from './realtime-socket.js';

/** The open connections of one account. */
export interface Audience {
  readonly size: number;
  /** Takes a connection in, or notes that its `unfiltered` has changed. */
  place(connection: Connection): void;
  delete(connection: Connection): void;
  [Symbol.iterator](): Iterator<Connection>;
  /** Hands the events of one commit to all of them. */
  push(events: readonly OutgoingEvent[]): void;
}

/**
 * Those that hear every event stand as bare sockets in a list of their own: what a delivery costs beside its write is the memory
 * touched for each of thousands of connections.
 * @param bufferedBytesMax a connection that owes its client more is asked itself what to do
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
  /** The last one takes the place. */
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
  /** @returns the connections of those that owe too much: they are closed by what they are told next, which no loop over the list stands */
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
      // Who is told may end, or hear everything from now on, and leaves the set meanwhile: a set allows that.
      for (const connection of others) connection.deliver(batches);
      for (const connection of slow) connection.deliver(batches);
    },
  };
}

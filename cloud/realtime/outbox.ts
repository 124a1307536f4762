import type { OutgoingEvent } from './outgoing-event.js';
import type { RealtimeSocket } from './realtime-socket.js';

export interface OutboxLimits {
  /** What a slow client may owe before it is closed 4429. */
  bufferedBytesMax: number;
  /** A replay waits for its client above this. */
  replayBufferedBytesMax: number;
}

/** What one connection sends: bounded by what its client takes. */
export interface Outbox {
  /** Events as they happen. A client that owes too much is given up instead. */
  live(events: readonly OutgoingEvent[], sentTo: number): void;
  /** At the client's own speed; resolves when there is room for more, or the connection has ended. */
  replayed(events: readonly OutgoingEvent[]): Promise<void>;
  /** A frame the client itself asked for. */
  answer(frame: Buffer): void;
}

/** @param options.tooSlow called before a batch, never within: a great commit alone does not close a client that keeps up */
export function createOutbox(options: {
  socket: RealtimeSocket;
  limits: OutboxLimits;
  wants: (event: OutgoingEvent) => boolean;
  hasEnded: () => boolean;
  tooSlow: () => void;
}): Outbox {
  const { socket, limits, wants, hasEnded, tooSlow } = options;
  const owesTooMuch = () => {
    if (socket.bufferedBytes <= limits.bufferedBytesMax) return false;
    tooSlow();
    return true;
  };

  return {
    // The usual commit has one event for a thousand connections: nothing is made per connection.
    live(events, sentTo) {
      let sent = 0;
      for (const event of events) {
        if ((event.id !== null && event.id <= sentTo) || !wants(event)) continue;
        if (sent === 0 && owesTooMuch()) return;
        // From the second on they wait for each other and leave in one write.
        if (sent === 1) socket.cork();
        socket.send(event.frame());
        sent += 1;
      }
      if (sent > 1) socket.uncork();
    },

    async replayed(events) {
      socket.cork();
      for (const event of events.filter(wants)) {
        if (socket.bufferedBytes <= limits.replayBufferedBytesMax) {
          socket.send(event.frame());
          continue;
        }
        const flushed = new Promise<void>((resolve) => socket.send(event.frame(), resolve));
        socket.uncork();
        await flushed;
        if (hasEnded()) return;
        socket.cork();
      }
      socket.uncork();
    },

    answer(frame) {
      if (!owesTooMuch()) socket.send(frame);
    },
  };
}

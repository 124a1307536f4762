import type { EventBatch, Wanted } from './event-batch.js';
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
  /** Events as they happen, but for those up to the cursor `sentTo`. A client that owes too much is given up instead. */
  live(batches: readonly EventBatch[], sentTo: number): void;
  /** At the client's own speed; resolves when there is room for more, or the connection has ended. */
  replayed(events: readonly OutgoingEvent[]): Promise<void>;
  /** A frame the client itself asked for. */
  answer(frame: Buffer): void;
}

/** @param options.tooSlow called before a commit's events, never within: a great commit alone does not close a client that keeps up */
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
  const wantedOf = ({ events }: EventBatch, sentTo: number): Wanted => {
    let wanted = 0;
    for (let index = 0; index < events.length; index++) {
      const event = events[index] as OutgoingEvent;
      if ((event.id === null || event.id > sentTo) && wants(event)) wanted |= 1 << index;
    }
    return wanted;
  };

  return {
    // The usual commit has one event for a thousand connections: nothing is made per connection.
    live(batches, sentTo) {
      let checked = false;
      for (const batch of batches) {
        const wanted = wantedOf(batch, sentTo);
        if (wanted === 0) continue;
        if (!checked && owesTooMuch()) return;
        checked = true;
        socket.send(batch.frames(wanted));
      }
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

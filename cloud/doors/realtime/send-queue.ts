import type { EventBatch, Wanted } from './event-batch.js';
import type { OutgoingEvent } from './outgoing-event.js';
import type { RealtimeSocket } from './realtime-socket.js';

export interface SendQueueLimits {
  /** How many unsent bytes a slow client may have before it is closed with 4429. */
  bufferedBytesMax: number;
  /** Above this number of unsent bytes a replay waits for its client. */
  replayBufferedBytesMax: number;
}

/** Sends frames to one connection, at most as fast as its client receives. */
export interface SendQueue {
  /** Sends live events, except those up to the cursor `sentTo`. A client with too many unsent bytes is given up instead. */
  live(batches: readonly EventBatch[], sentTo: number): void;
  /** Sends events of a replay. Resolves when there is room for more, or the connection has ended. */
  replayed(events: readonly OutgoingEvent[]): Promise<void>;
  /** Sends a frame that the client itself asked for. */
  answer(frame: Buffer): void;
}

/** @param options.tooSlow called before a commit's events and never between them, so that one big commit does not close a fast client */
export function createSendQueue(options: {
  socket: RealtimeSocket;
  limits: SendQueueLimits;
  wants: (event: OutgoingEvent) => boolean;
  hasEnded: () => boolean;
  tooSlow: () => void;
  /** Called when the client gets events. */
  heard: () => void;
}): SendQueue {
  const { socket, limits, wants, hasEnded, tooSlow, heard } = options;
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
    // Most commits have one event for a thousand connections, so nothing is created per connection.
    live(batches, sentTo) {
      let checked = false;
      for (const batch of batches) {
        const wanted = wantedOf(batch, sentTo);
        if (wanted === 0) continue;
        if (!checked && owesTooMuch()) return;
        checked = true;
        socket.send(batch.frames(wanted));
        heard();
      }
    },

    async replayed(events) {
      socket.cork();
      for (const event of events) {
        // The subscription may change while the client receives.
        if (!wants(event)) continue;
        heard();
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

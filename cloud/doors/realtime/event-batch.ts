import { inPieces } from '../../../shared/grouping.js';
import type { OutgoingEvent } from './outgoing-event.js';

/** The events of a batch that a connection wants, one bit per event. */
export type Wanted = number;

export const EVERY_EVENT: Wanted = -1;

/** A 32-bit number holds no more bits beside its sign. */
const EVENTS_PER_BATCH = 30;

/** Events of one commit on their way to many sockets. Sockets that want the same events share one buffer, which each gets in one write. */
export interface EventBatch {
  readonly events: readonly OutgoingEvent[];
  /** Returns the frames of the wanted events, one after the other. */
  frames(wanted: Wanted): Buffer;
}

/** Splits the events, in their order, into batches that keep a write at a sensible size. */
export function batchEvents(events: readonly OutgoingEvent[]): EventBatch[] {
  return inPieces(events, EVENTS_PER_BATCH).map(createBatch);
}

function createBatch(events: readonly OutgoingEvent[]): EventBatch {
  const made = new Map<Wanted, Buffer>();
  return {
    events,
    frames(wanted) {
      let buffer = made.get(wanted);
      if (buffer === undefined) {
        const frames = events.flatMap((event, index) => ((wanted >> index) & 1 ? [event.frame()] : []));
        const [first] = frames;
        buffer = frames.length === 1 && first !== undefined ? first : Buffer.concat(frames);
        made.set(wanted, buffer);
      }
      return buffer;
    },
  };
}

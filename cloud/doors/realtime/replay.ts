import type { EventScope } from '../../kernel/store/entry.js';
import type { OutgoingEvent } from './outgoing-event.js';

/** The journal as a replay reads it. */
export interface Journal {
  /**
   * Reads events after the cursor, in order; fewer than `limit` means that these are all that were committed before the call. null when
   * the cursor is not one of this account, or the journal does not reach back to it any more.
   */
  after(scope: EventScope, cursor: number, limit: number): Promise<OutgoingEvent[] | null>;
}

export interface ReplayLimits {
  /** How many rows one read of the journal has. */
  pageRows: number;
  /** How many live events are kept aside while a page is read and sent. */
  tailEventsMax: number;
}

export interface Replay {
  /** Keeps live events that arrive meanwhile. The page that is being read may or may not have them. */
  keepAside(events: readonly OutgoingEvent[]): void;
  /**
   * Sends all that the journal has after the cursor, page by page, and then calls `caughtUp` with the live events that came too late for
   * the last page. Together they are complete.
   */
  run(): Promise<void>;
}

/**
 * @param options.scope called before each page, because the caller's lots may change
 * @param options.known called once, synchronously, before the first event is sent: the journal reaches back to the cursor
 * @param options.unknownCursor called synchronously; the connection is live from then on, and what it missed cannot be replayed
 * @param options.send resolves when the client has received the events; false stops the replay
 * @param options.caughtUp called synchronously; the connection is live from then on. The journal may have been ahead of the live
 * events: those up to `cursor` were already sent
 */
export function createReplay(options: {
  journal: Journal;
  cursor: number;
  scope: () => EventScope;
  limits: ReplayLimits;
  send: (events: readonly OutgoingEvent[]) => Promise<boolean>;
  known: () => void;
  unknownCursor: () => void;
  caughtUp: (end: { tail: OutgoingEvent[]; cursor: number }) => void;
}): Replay {
  const { journal, limits, scope } = options;
  let { cursor } = options;
  let tail: OutgoingEvent[] = [];
  let tailOverflowed = false;

  return {
    keepAside(events) {
      if (tailOverflowed) return;
      if (tail.length + events.length > limits.tailEventsMax) {
        // These events are in the journal, so one more page will have them.
        tailOverflowed = true;
        tail = [];
      } else {
        tail.push(...events);
      }
    },

    async run() {
      for (let isFirst = true; ; isFirst = false) {
        tail = [];
        tailOverflowed = false;
        const page = await journal.after(scope(), cursor, limits.pageRows);
        // The retention may delete events before a slow client has received them.
        if (page === null) {
          options.unknownCursor();
          return;
        }
        if (isFirst) options.known();
        cursor = page.at(-1)?.id ?? cursor;
        if (!(await options.send(page))) return;
        if (page.length < limits.pageRows && !tailOverflowed) break;
      }
      // An event without an id only repeats what an earlier one said, and is not replayed.
      options.caughtUp({ tail: tail.filter(({ id }) => id !== null), cursor });
    },
  };
}

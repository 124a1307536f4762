import type { EventScope } from '../store/queries/events.js';
import type { OutgoingEvent } from './outgoing-event.js';

/** The journal as a replay reads it. */
export interface Journal {
  /**
   * Events after the cursor, in order; fewer than `limit` means: all that were committed before the call. Null when the cursor
   * was never given to this account, or the journal does not reach back to it any more.
   */
  after(scope: EventScope, cursor: number, limit: number): Promise<OutgoingEvent[] | null>;
}

export interface ReplayLimits {
  /** Rows of one read of the journal. */
  pageRows: number;
  /** Live events that are kept aside while a page is read and sent. */
  tailEventsMax: number;
}

export interface Replay {
  /** A live event that arrives meanwhile. The journal may or may not have it on the page that is being read. */
  keepAside(events: readonly OutgoingEvent[]): void;
  /**
   * Sends all that the journal has after the cursor, page by page, then calls `caughtUp` with the live events that came
   * too late for the last page: together nothing is missing.
   */
  run(): Promise<void>;
}

/**
 * @param options.scope asked before each page: the caller's lots may change
 * @param options.unknownCursor called synchronously; the connection is live from then on, what it missed cannot be replayed
 * @param options.send resolves when the client has taken the events; false stops the replay
 * @param options.caughtUp called synchronously; the connection is live from then on. The journal may have been ahead of the live
 * events: what comes up to `cursor` was sent already
 */
export function createReplay(options: {
  journal: Journal;
  cursor: number;
  scope: () => EventScope;
  limits: ReplayLimits;
  send: (events: readonly OutgoingEvent[]) => Promise<boolean>;
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
        // They are in the journal: one more page will have them.
        tailOverflowed = true;
        tail = [];
      } else {
        tail.push(...events);
      }
    },

    async run() {
      for (;;) {
        tail = [];
        tailOverflowed = false;
        const page = await journal.after(scope(), cursor, limits.pageRows);
        // A slow client may be overtaken by the retention half-way.
        if (page === null) {
          options.unknownCursor();
          return;
        }
        cursor = page.at(-1)?.id ?? cursor;
        if (!(await options.send(page))) return;
        if (page.length < limits.pageRows && !tailOverflowed) break;
      }
      // An event without an id only repeats what an earlier one told: it is no part of a replay.
      options.caughtUp({ tail: tail.filter(({ id }) => id !== null), cursor });
    },
  };
}

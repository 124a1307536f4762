import type { EventScope } from '../store/queries/events.js';
import type { OutgoingEvent } from './outgoing-event.js';

/** The journal as a replay reads it. */
export interface Journal {
  /** Whether the cursor was given to this account and everything after it is still there. */
  isKnownCursor(accountId: number, cursor: number): Promise<boolean>;
  /** Events after the cursor, in order; fewer than `limit` means: all that were committed before the call. */
  after(scope: EventScope, cursor: number, limit: number): Promise<OutgoingEvent[]>;
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
      if (!(await journal.isKnownCursor(scope().account_id, cursor))) {
        options.unknownCursor();
        return;
      }
      for (;;) {
        tail = [];
        tailOverflowed = false;
        const page = await journal.after(scope(), cursor, limits.pageRows);
        cursor = page.at(-1)?.id ?? cursor;
        if (!(await options.send(page))) return;
        if (page.length < limits.pageRows && !tailOverflowed) break;
      }
      // An event without an id only repeats what an earlier one told: it is no part of a replay.
      options.caughtUp({ tail: tail.filter(({ id }) => id !== null), cursor });
    },
  };
}

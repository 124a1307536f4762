import type { Clock, Timer } from '../../shared/clock.js';
import type { Logger } from '../../shared/logger.js';
import type { CloudStore, JournalEvent } from '../store/cloud-store.js';
import { eventsUpTo, type JournalRow, newestEventId } from '../store/queries/events.js';

const ROWS_PER_READ = 500;
const RETRY_MS = 1_000;

export type FedEvent = JournalEvent | JournalRow;

export interface EventFeed {
  /** Resolves when the feed knows where it begins: from then on it misses nothing. */
  readonly ready: Promise<void>;
  close(): void;
}

/**
 * All events in the order of the journal, whichever process of the cloud recorded them: one that shares the database is heard of when
 * the store notices its change. Events that are not journalled are this process's own.
 * @param options.deliver events of one commit, or some of another process; called as soon as the own commit when nothing is missing before
 */
export function startEventFeed(options: {
  store: Pick<CloudStore, 'change' | 'reader' | 'onEvents' | 'onForeignChange'>;
  clock: Clock;
  logger: Logger;
  deliver: (events: readonly FedEvent[]) => void;
}): EventFeed {
  const { store, clock, logger, deliver } = options;
  /** The newest event that was delivered, or was there before the feed; null while it is not known. */
  let last: number | null = null;
  const own: (readonly JournalEvent[])[] = [];
  let foreignChange = false;
  let pumping = false;
  const life = new AbortController();
  let retry: Timer | undefined;
  let becomeReady = () => {};
  const ready = new Promise<void>((resolve) => (becomeReady = resolve));

  const hand = (events: readonly FedEvent[]) => {
    last = lastIdOf(events) ?? last;
    if (events.length === 0 || life.signal.aborted) return;
    try {
      deliver(events);
    } catch (error) {
      logger.error({ err: error }, 'Events could not be handed to the realtime connections');
    }
  };
  /** What other processes recorded between the last delivered event and a commit of this one. */
  const catchUpTo = async (upTo: number) => {
    for (;;) {
      if (last === null || last >= upTo) return;
      const rows = await eventsUpTo(store.reader, { after: last, upTo, limit: ROWS_PER_READ });
      hand(rows);
      if (rows.length < ROWS_PER_READ) return;
    }
  };
  /** In the writer's queue: a commit of this process that is among the rows has been told of, and waits its turn. */
  const catchUp = async () => {
    const after = last ?? 0;
    const rows = await store.change((tx) => eventsUpTo(tx, { after, upTo: null, limit: ROWS_PER_READ }));
    const firstOwn = firstIdOf(own.flat()) ?? Number.POSITIVE_INFINITY;
    hand(rows.filter(({ id }) => id < firstOwn));
    if (rows.length === ROWS_PER_READ) foreignChange = true;
  };
  const pump = async () => {
    if (last === null) {
      const newest = await store.change(newestEventId);
      last = Math.min(newest, (firstIdOf(own.flat()) ?? Number.POSITIVE_INFINITY) - 1);
      becomeReady();
    }
    while (!life.signal.aborted && (own.length > 0 || foreignChange)) {
      const [events] = own;
      if (events !== undefined) {
        const first = firstIdOf(events);
        if (first !== null) await catchUpTo(first - 1);
        hand(events);
        own.shift();
      } else {
        foreignChange = false;
        await catchUp();
      }
    }
  };
  const run = async () => {
    try {
      await pump();
    } catch (error) {
      if (life.signal.aborted) return;
      logger.error({ err: error }, 'The event journal could not be read for the realtime connections: trying again');
      foreignChange = true;
      retry = clock.setTimer(RETRY_MS, start);
    } finally {
      // Within the turn of the last look: whoever comes after it starts anew.
      pumping = false;
    }
  };
  const start = () => {
    if (pumping || life.signal.aborted) return;
    pumping = true;
    retry?.cancel();
    void run();
  };

  const stopOwn = store.onEvents((events) => {
    const first = firstIdOf(events);
    if (!pumping && own.length === 0 && last !== null && (first === null || first === last + 1)) hand(events);
    else {
      own.push(events);
      start();
    }
  });
  const stopForeign = store.onForeignChange(() => {
    foreignChange = true;
    start();
  });
  start();
  return {
    ready,
    close() {
      life.abort();
      retry?.cancel();
      stopOwn();
      stopForeign();
    },
  };
}

const firstIdOf = (events: readonly FedEvent[]) => events.find(({ id }) => id !== null)?.id ?? null;
const lastIdOf = (events: readonly FedEvent[]) => events.findLast(({ id }) => id !== null)?.id ?? null;

import { z } from 'zod';
import { type Clock, every, type Timer } from '../../../shared/clock.js';
import { EVENT_SCHEMAS, type EventName } from '../../../shared/events/event-schemas.js';
import type { Logger } from '../../../shared/logger.js';
import {
  type CloudStore,
  eventsBetween,
  includesOneOf,
  type JournalEvent,
  journalHeads,
  type JournalRow,
} from '../../kernel/entry.js';

const ROWS_PER_READ = 500;
const RETRY_MS = 1_000;
/** Where other processes journal events, and what they tell of it may be lost. */
const LOOK_EVERY_MS = 3_000;
/** What processes tell each other of: an event that is pushed and not kept. */
const UNKEPT = 'event';
const unkeptSchema = z.object({
  id: z.null(),
  account_id: z.number(),
  lot_id: z.number(),
  event: z.enum(Object.keys(EVENT_SCHEMAS) as [EventName, ...EventName[]]),
  payload: z.looseObject({}),
  created_at: z.number(),
});

export type FedEvent = JournalEvent | JournalRow;

export interface EventFeed {
  /** Resolves when the feed knows where it begins; from then on it misses nothing. */
  readonly ready: Promise<void>;
  /** Returns the id of the account's newest event that existed before the feed began; 0 when there was none. */
  beganAfter(account_id: number): number;
  close(): void;
}

interface DeliveryOptions {
  store: Pick<CloudStore, 'reader'>;
  logger: Logger;
  deliver: (events: readonly FedEvent[]) => void;
  isWanted: (account_id: number) => boolean;
  passed: (account_id: number, upTo: number) => void;
}

/**
 * Delivers all events once, those of each account in the order of its journal. It includes events of other processes that share the database,
 * once the store notices their changes, or a look every few seconds finds them. Events that are not journalled are told to the other processes.
 * @param options.deliver gets the events of one commit, or some of another process; called right after the own commit if no event before
 * it is missing
 * @param options.isWanted whether somebody listens to an account: of others the events of other processes are not read
 * @param options.passed called with the account's newest event that was not read for this
 */
export function startEventFeed(
  options: DeliveryOptions & {
    store: Pick<CloudStore, 'change' | 'reader' | 'onEvents' | 'onForeignChange' | 'peers'>;
    clock: Clock;
  },
): EventFeed {
  const { store, clock, logger } = options;
  const own: (readonly JournalEvent[])[] = [];
  let foreignChange = false;
  let pumping = false;
  const life = new AbortController();
  let retry: Timer | undefined;
  let becomeReady = () => {};
  const ready = new Promise<void>((resolve) => (becomeReady = resolve));

  const delivery = createDelivery({ ...options, signal: life.signal });
  /**
   * Where changes queue up, it waits its turn among them, so that most earlier commits of this process are known, and wait in `own`. Where
   * they run side by side, that would tell nothing.
   */
  const readHeads = () => (store.peers === null ? store.change(journalHeads) : journalHeads(store.reader));
  /** Delivers a page of the events of each account that has more. */
  const catchUp = async () => {
    const heads = await readHeads();
    const firstOwn = firstIds(own.flat());
    for (const { account_id, seq } of heads) {
      const upTo = Math.min(seq, (firstOwn.get(account_id) ?? Number.POSITIVE_INFINITY) - 1);
      if (await delivery.readPage(account_id, upTo)) foreignChange = true;
    }
  };
  const begin = async () => {
    const heads = await store.change(journalHeads);
    const firstOwn = firstIds(own.flat());
    delivery.begin(
      heads.map(({ account_id, seq }) => [account_id, Math.min(seq, (firstOwn.get(account_id) ?? seq + 1) - 1)]),
    );
    becomeReady();
  };
  const pump = async () => {
    if (!delivery.hasBegun()) await begin();
    while (!life.signal.aborted && (own.length > 0 || foreignChange)) {
      const [events] = own;
      if (events !== undefined) {
        for (const [account_id, first] of delivery.gapsBefore(events)) {
          for (let hasMore = true; hasMore; ) hasMore = await delivery.readPage(account_id, first - 1);
        }
        delivery.hand(events);
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
      // This is in the same turn as the last check, so that a later call starts again.
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
    for (const event of events) if (event.id === null) store.peers?.tell(UNKEPT, event);
    if (!pumping && own.length === 0 && delivery.hasBegun() && delivery.gapsBefore(events).length === 0)
      delivery.hand(events);
    else {
      own.push(events);
      start();
    }
  });
  const look = () => {
    foreignChange = true;
    start();
  };
  const stopForeign = store.onForeignChange(({ written }) => {
    if (!includesOneOf(written, ['journal_heads'])) return;
    look();
  });
  const looking =
    store.peers === null ? null : every({ clock, periodMs: LOOK_EVERY_MS, work: look, onError: () => {} });
  const stopTold = store.peers?.onTold(UNKEPT, (news) => {
    const told = unkeptSchema.safeParse(news);
    if (told.success) delivery.hand([told.data as JournalEvent]);
  });
  start();
  return {
    ready,
    beganAfter: delivery.beganAfter,
    close() {
      life.abort();
      retry?.cancel();
      looking?.cancel();
      stopOwn();
      stopForeign();
      stopTold?.();
    },
  };
}

/** Finds for each account the first of these events that is in the journal. */
function firstIds(events: readonly JournalEvent[]): Map<number, number> {
  const first = new Map<number, number>();
  for (const { account_id, id } of events) if (id !== null && !first.has(account_id)) first.set(account_id, id);
  return first;
}

/** How far the events of each account were delivered. @param options.signal ends it */
function createDelivery(options: DeliveryOptions & { signal: AbortSignal }) {
  const { store, logger, deliver, isWanted, passed, signal } = options;
  /** By account: the newest event that was delivered, or existed before the feed; null while that is not known. */
  let last: Map<number, number> | null = null;
  let atBegin: ReadonlyMap<number, number> = new Map();

  const lastOf = (account_id: number) => last?.get(account_id) ?? 0;
  const hand = (found: readonly FedEvent[]) => {
    // An own commit may be told of after its events were read from the journal, among those of others.
    const events = found.filter(({ account_id, id }) => id === null || id > lastOf(account_id));
    for (const { account_id, id } of events) if (id !== null) last?.set(account_id, id);
    if (events.length === 0 || signal.aborted) return;
    try {
      deliver(events);
    } catch (error) {
      logger.error({ err: error }, 'Events could not be handed to the realtime connections');
    }
  };
  return {
    hasBegun: () => last !== null,
    beganAfter: (account_id: number) => atBegin.get(account_id) ?? 0,
    begin(heads: [account_id: number, seq: number][]) {
      last = new Map(heads);
      atBegin = new Map(heads);
    },
    hand,
    /** Finds the accounts of a commit whose journals have earlier events that were not delivered, because other processes journalled them. */
    gapsBefore: (events: readonly JournalEvent[]) =>
      [...firstIds(events)].filter(([account_id, first]) => first > lastOf(account_id) + 1),
    /**
     * Delivers a page of the journal of an account, or passes all of it when nobody listens to the account.
     * @returns whether more may follow
     */
    async readPage(account_id: number, upTo: number): Promise<boolean> {
      const after = lastOf(account_id);
      if (after >= upTo) return false;
      if (!isWanted(account_id)) {
        last?.set(account_id, upTo);
        passed(account_id, upTo);
        return false;
      }
      const rows = await eventsBetween(store.reader, { account_id, after, upTo, limit: ROWS_PER_READ });
      hand(rows);
      return rows.length === ROWS_PER_READ;
    },
  };
}

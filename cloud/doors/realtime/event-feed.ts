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
} from '../../kernel/store/entry.js';

const ROWS_PER_READ = 500;
const RETRY_MS = 1_000;
/** How often the journals are read while other processes share the database: their notices of new events may be lost. */
const LOOK_EVERY_MS = 3_000;
/** The topic on which processes send each other the events that are pushed and not kept. */
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

interface FeedOptions {
  store: Pick<CloudStore, 'change' | 'reader' | 'onEvents' | 'onForeignChange' | 'peers'>;
  clock: Clock;
  logger: Logger;
  /** Gets the events of one commit, or some of another process. Called right after the own commit if no event before it is missing. */
  deliver: (events: readonly FedEvent[]) => void;
  /** Whether somebody listens to an account. For other accounts the events of other processes are not read. */
  isWanted: (account_id: number) => boolean;
  /** Called with the newest event of an account whose events were not read because nobody listens. */
  passed: (account_id: number, upTo: number) => void;
}

/**
 * Delivers all events once, those of each account in the order of its journal. Events of other processes that share the database are
 * delivered once the store notices their changes, or a look every few seconds finds them. Events that are not journalled are sent to the
 * other processes.
 */
export function startEventFeed(options: FeedOptions): EventFeed {
  const { store, clock } = options;
  const life = new AbortController();
  const delivery = createDelivery({ ...options, signal: life.signal });
  const pump = createPump(options, { delivery, signal: life.signal });

  const stopOwn = store.onEvents((events) => {
    for (const event of events) if (event.id === null) store.peers?.notify(UNKEPT, event);
    pump.add(events);
  });
  const stopForeign = store.onForeignChange(({ written }) => {
    if (includesOneOf(written, ['journal_heads'])) pump.readJournals();
  });
  const looking =
    store.peers === null ? null : every({ clock, periodMs: LOOK_EVERY_MS, work: pump.readJournals, onError: () => {} });
  const stopNotices = store.peers?.onNotice(UNKEPT, (news) => {
    const notice = unkeptSchema.safeParse(news);
    if (notice.success) delivery.hand([notice.data as JournalEvent]);
  });
  pump.start();
  return {
    ready: pump.ready,
    beganAfter: delivery.beganAfter,
    close() {
      life.abort();
      pump.cancelRetry();
      looking?.cancel();
      stopOwn();
      stopForeign();
      stopNotices?.();
    },
  };
}

/**
 * Delivers own commits and pages of the journals, one after the other. Own commits wait while an earlier event is missing. A failure is
 * tried again.
 */
function createPump(
  { store, clock, logger }: FeedOptions,
  { delivery, signal }: { delivery: Delivery; signal: AbortSignal },
) {
  /** Own commits that wait. */
  const own: (readonly JournalEvent[])[] = [];
  let mayHaveForeign = false;
  let isPumping = false;
  let retry: Timer | undefined;
  let becomeReady = () => {};
  const ready = new Promise<void>((resolve) => (becomeReady = resolve));

  const run = async () => {
    try {
      if (!delivery.hasBegun()) await beginDelivery(store, delivery, own);
      becomeReady();
      while (!signal.aborted && (own.length > 0 || mayHaveForeign)) {
        const [events] = own;
        if (events === undefined) {
          mayHaveForeign = false;
          if (await catchUp(store, delivery, own)) mayHaveForeign = true;
        } else {
          await fillGaps(delivery, events);
          delivery.hand(events);
          own.shift();
        }
      }
    } catch (error) {
      if (signal.aborted) return;
      logger.error({ err: error }, 'the event journal could not be read for the realtime connections: trying again');
      mayHaveForeign = true;
      retry = clock.setTimer(RETRY_MS, start);
    } finally {
      // This is in the same turn as the last check, so that a later call starts again.
      isPumping = false;
    }
  };
  const start = () => {
    if (isPumping || signal.aborted) return;
    isPumping = true;
    retry?.cancel();
    void run();
  };

  return {
    ready,
    start,
    /** Adds the events of an own commit. They are delivered at once if nothing is before them. */
    add(events: readonly JournalEvent[]): void {
      const isNext = !isPumping && own.length === 0 && delivery.hasBegun() && delivery.gapsBefore(events).length === 0;
      if (isNext) return delivery.hand(events);
      own.push(events);
      start();
    },
    /** Delivers what other processes have journalled. */
    readJournals(): void {
      mayHaveForeign = true;
      start();
    },
    cancelRetry: () => retry?.cancel(),
  };
}

type OwnCommits = readonly (readonly JournalEvent[])[];

/** Begins after the events that exist now, except own ones that wait to be delivered. */
async function beginDelivery(store: Pick<CloudStore, 'change'>, delivery: Delivery, own: OwnCommits): Promise<void> {
  const heads = await store.change(journalHeads);
  const firstOwn = firstIds(own.flat());
  delivery.begin(
    heads.map(({ account_id, seq }) => [account_id, Math.min(seq, (firstOwn.get(account_id) ?? seq + 1) - 1)]),
  );
}

/** Delivers a page of the events of each account that has more. @returns whether more may follow */
async function catchUp(
  store: Pick<CloudStore, 'change' | 'reader' | 'peers'>,
  delivery: Delivery,
  own: OwnCommits,
): Promise<boolean> {
  // Where changes queue up, this read waits its turn among them, so that most earlier commits of this process are known and wait in
  // `own`. Where changes run side by side, a turn would not help.
  const heads = await (store.peers === null ? store.change(journalHeads) : journalHeads(store.reader));
  const firstOwn = firstIds(own.flat());
  let mayHaveMore = false;
  for (const { account_id, seq } of heads) {
    const upTo = Math.min(seq, (firstOwn.get(account_id) ?? Number.POSITIVE_INFINITY) - 1);
    if (await delivery.readPage(account_id, upTo)) mayHaveMore = true;
  }
  return mayHaveMore;
}

/** Delivers the events of other processes that come before these. */
async function fillGaps(delivery: Delivery, events: readonly JournalEvent[]): Promise<void> {
  for (const [account_id, first] of delivery.gapsBefore(events)) {
    for (let hasMore = true; hasMore; ) hasMore = await delivery.readPage(account_id, first - 1);
  }
}

/** Finds for each account the first of these events that is in the journal. */
function firstIds(events: readonly JournalEvent[]): Map<number, number> {
  const first = new Map<number, number>();
  for (const { account_id, id } of events) if (id !== null && !first.has(account_id)) first.set(account_id, id);
  return first;
}

type Delivery = ReturnType<typeof createDelivery>;

/** Delivers events, and knows how far those of each account were delivered. @param options.signal ends it */
function createDelivery(options: FeedOptions & { signal: AbortSignal }) {
  const { store, logger, deliver, isWanted, passed, signal } = options;
  /** By account: the newest event that was delivered, or existed before the feed; null while that is not known. */
  let last: Map<number, number> | null = null;
  let atBegin: ReadonlyMap<number, number> = new Map();

  const lastOf = (account_id: number) => last?.get(account_id) ?? 0;
  const hand = (found: readonly FedEvent[]) => {
    // The store may announce an own commit after its events were read from the journal, among those of others.
    const events = found.filter(({ account_id, id }) => id === null || id > lastOf(account_id));
    for (const { account_id, id } of events) if (id !== null) last?.set(account_id, id);
    if (events.length === 0 || signal.aborted) return;
    try {
      deliver(events);
    } catch (error) {
      logger.error({ err: error }, 'events could not be handed to the realtime connections');
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

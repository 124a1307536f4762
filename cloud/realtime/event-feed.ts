import { z } from 'zod';
import { type Clock, every, type Timer } from '../../shared/clock.js';
import { EVENT_SCHEMAS, type EventName } from '../../shared/events/event-schemas.js';
import type { Logger } from '../../shared/logger.js';
import type { CloudStore, JournalEvent } from '../store/cloud-store.js';
import { includesOneOf } from '../store/written-tables.js';
import { eventsBetween, journalHeads, type JournalRow } from '../store/journal-queries.js';

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

/**
 * Delivers all events once, those of each account in the order of its journal. It includes events of other processes that share the database,
 * once the store notices their changes, or a look every few seconds finds them. Events that are not journalled are told to the other processes.
 * @param options.deliver gets the events of one commit, or some of another process; called right after the own commit if no event before
 * it is missing
 * @param options.isWanted whether somebody listens to an account: of others the events of other processes are not read
 * @param options.passed called with the account's newest event that was not read for this
 */
export function startEventFeed(options: {
  store: Pick<CloudStore, 'change' | 'reader' | 'onEvents' | 'onForeignChange' | 'peers'>;
  clock: Clock;
  logger: Logger;
  deliver: (events: readonly FedEvent[]) => void;
  isWanted: (account_id: number) => boolean;
  passed: (account_id: number, upTo: number) => void;
}): EventFeed {
  const { store, clock, logger, deliver, isWanted, passed } = options;
  /** By account: the newest event that was delivered, or existed before the feed; null while that is not known. */
  let last: Map<number, number> | null = null;
  let atBegin: ReadonlyMap<number, number> = new Map();
  const own: (readonly JournalEvent[])[] = [];
  let foreignChange = false;
  let pumping = false;
  const life = new AbortController();
  let retry: Timer | undefined;
  let becomeReady = () => {};
  const ready = new Promise<void>((resolve) => (becomeReady = resolve));

  const lastOf = (account_id: number) => last?.get(account_id) ?? 0;
  const hand = (found: readonly FedEvent[]) => {
    // An own commit may be told of after its events were read from the journal, among those of others.
    const events = found.filter(({ account_id, id }) => id === null || id > lastOf(account_id));
    for (const { account_id, id } of events) if (id !== null) last?.set(account_id, id);
    if (events.length === 0 || life.signal.aborted) return;
    try {
      deliver(events);
    } catch (error) {
      logger.error({ err: error }, 'Events could not be handed to the realtime connections');
    }
  };
  /** Finds the accounts of a commit whose journals have earlier events that were not delivered, because other processes journalled them. */
  const gapsBefore = (events: readonly JournalEvent[]) =>
    [...firstIds(events)].filter(([account_id, first]) => first > lastOf(account_id) + 1);
  const fillGap = async (account_id: number, upTo: number) => {
    while (lastOf(account_id) < upTo) {
      if (pass(account_id, upTo)) return;
      const after = lastOf(account_id);
      const rows = await eventsBetween(store.reader, { account_id, after, upTo, limit: ROWS_PER_READ });
      hand(rows);
      if (rows.length < ROWS_PER_READ) return;
    }
  };
  /**
   * Where changes queue up, it waits its turn among them, so that most earlier commits of this process are known, and wait in `own`. Where
   * they run side by side, that would tell nothing.
   */
  const readHeads = () => (store.peers === null ? store.change(journalHeads) : journalHeads(store.reader));
  /** Passes the events of an account to which nobody listens. @returns whether it did */
  const pass = (account_id: number, upTo: number) => {
    if (isWanted(account_id)) return false;
    last?.set(account_id, upTo);
    passed(account_id, upTo);
    return true;
  };
  /** Delivers a page of the events of each account that has more. */
  const catchUp = async () => {
    const heads = await readHeads();
    const firstOwn = firstIds(own.flat());
    for (const { account_id, seq } of heads) {
      const upTo = Math.min(seq, (firstOwn.get(account_id) ?? Number.POSITIVE_INFINITY) - 1);
      const after = lastOf(account_id);
      if (after >= upTo || pass(account_id, upTo)) continue;
      const rows = await eventsBetween(store.reader, { account_id, after, upTo, limit: ROWS_PER_READ });
      hand(rows);
      if (rows.length === ROWS_PER_READ) foreignChange = true;
    }
  };
  const begin = async () => {
    const heads = await store.change(journalHeads);
    const firstOwn = firstIds(own.flat());
    last = new Map(
      heads.map(({ account_id, seq }) => [account_id, Math.min(seq, (firstOwn.get(account_id) ?? seq + 1) - 1)]),
    );
    atBegin = new Map(last);
    becomeReady();
  };
  const pump = async () => {
    if (last === null) await begin();
    while (!life.signal.aborted && (own.length > 0 || foreignChange)) {
      const [events] = own;
      if (events !== undefined) {
        for (const [account_id, first] of gapsBefore(events)) await fillGap(account_id, first - 1);
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
    if (!pumping && own.length === 0 && last !== null && gapsBefore(events).length === 0) hand(events);
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
    if (told.success) hand([told.data as JournalEvent]);
  });
  start();
  return {
    ready,
    beganAfter: (account_id) => atBegin.get(account_id) ?? 0,
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

/** Adds spans to the trace of the plate read that an event tells of. */
import { z } from 'zod';
import type { Clock } from '../../../shared/clock.js';
import { uidSchema, type Uid } from '../../../shared/ids.js';
import type { Logger } from '../../../shared/logger.js';
import type { RecordSpan, Tracer } from '../../../shared/tracer.js';
import { findReadingsById } from '../reading/reading-queries.js';
import type { CloudStore } from '../../kernel/store/entry.js';

/** An event, its payload as it is or as JSON text. */
export interface TracedEvent {
  event: string;
  payload: unknown;
}

export interface EventSpans {
  /** The caller does not wait, and hears of no failure. */
  add(event: TracedEvent, span: Omit<RecordSpan, 'uid'>): void;
}

/** How many readings are remembered. Few are enough: an event reaches sockets and webhooks soon after its commit. */
const REMEMBERED_MAX = 1_000;
const READING_EVENTS: ReadonlySet<string> = new Set(['plate_reading_create', 'plate_reading_update']);
const readingSchema = z.object({ id: z.number() });

export function createEventSpans(deps: {
  tracer: Tracer;
  store: Pick<CloudStore, 'reader'>;
  logger: Logger;
}): EventSpans {
  const { tracer, store, logger } = deps;
  const uids = new Map<number, Promise<Uid | null>>();

  /** Resolves to null for a reading that was made over REST. */
  async function ask(id: number): Promise<Uid | null> {
    const [reading] = await findReadingsById(store.reader, [id]);
    return uidSchema.safeParse(reading?.uid).data ?? null;
  }

  function uidOf(id: number): Promise<Uid | null> {
    const found = uids.get(id) ?? ask(id);
    uids.set(id, found);
    const [oldest] = uids.keys();
    if (uids.size > REMEMBERED_MAX && oldest !== undefined) uids.delete(oldest);
    return found;
  }

  return {
    add(event, span) {
      const id = readingIdOf(event);
      if (id === null) return;
      uidOf(id).then(
        (uid) => {
          if (uid !== null) tracer.add({ ...span, uid });
        },
        (error: unknown) => {
          uids.delete(id);
          logger.debug({ err: error, reading_id: id }, 'an event is missing in its trace');
        },
      );
    },
  };
}

function readingIdOf({ event, payload }: TracedEvent): number | null {
  if (!READING_EVENTS.has(event)) return null;
  const read: unknown = typeof payload === 'string' ? JSON.parse(payload) : payload;
  return readingSchema.safeParse(read).data?.id ?? null;
}

/** Adds a span to each commit with events: from when the event was made until its commit. */
export function traceJournal(
  store: Pick<CloudStore, 'onEvents'>,
  { spans, clock }: { spans: EventSpans; clock: Pick<Clock, 'now'> },
): void {
  store.onEvents((events) => {
    for (const each of events) {
      const { id, event, account_id, lot_id, created_at } = each;
      if (id === null) continue;
      const attributes = { event, journal_id: id, account_id, lot_id };
      spans.add(each, {
        name: 'journal',
        startMs: created_at,
        tookMs: Math.max(0, clock.now() - created_at),
        attributes,
      });
    }
  });
}

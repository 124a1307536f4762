import { z } from 'zod';
import type { ImageLinks } from '../../traffic/entry.js';
import type { JournalEvent, JournalRow } from '../../kernel/store/entry.js';
import { encodeFrame } from './realtime-frames.js';

/** One event for all its sockets. It is serialised, signed and framed at most once, when the first of them wants it. */
export interface OutgoingEvent {
  /** The cursor; null for an event that is not in the journal. */
  readonly id: number | null;
  readonly account_id: number;
  readonly lot_id: number;
  readonly event: string;
  /** Returns the product of a product's event; null for all other events. */
  productId(): number | null;
  frame(): Buffer;
}

/** An event as a row of the journal; its payload remains text. */
type StoredEvent = Omit<JournalRow, 'payload'> & { payload: string };

const productPayloadSchema = z.object({ data: z.object({ id: z.number() }) });

/** The events whose payload's `data.id` is a product's id. */
const PRODUCT_EVENTS: ReadonlySet<string> = new Set(['lot_change', 'gateway_error']);

/** @param event as pushed by the store, or as read from the journal (payload still JSON text) */
export function outgoingEvent(event: JournalEvent | StoredEvent, links: ImageLinks): OutgoingEvent {
  const { id, account_id, lot_id, event: name, payload } = event;
  let frame: Buffer | undefined;
  return {
    id,
    account_id,
    lot_id,
    event: name,
    productId() {
      if (!PRODUCT_EVENTS.has(name)) return null;
      return productPayloadSchema.parse(typeof payload === 'string' ? JSON.parse(payload) : payload).data.id;
    },
    frame() {
      if (frame === undefined) {
        const json = typeof payload === 'string' ? payload : JSON.stringify(payload);
        frame = encodeFrame(name, links.signJson(json), id ?? undefined);
      }
      return frame;
    },
  };
}

import type { ImageLinks } from '../images/image-links.js';
import type { JournalEvent } from '../store/cloud-store.js';
import type { JournalRow } from '../store/queries/events.js';
import { encodeFrame } from './realtime-frames.js';

/** One event for all its sockets: serialised, signed and framed at most once, when the first of them wants it. */
export interface OutgoingEvent {
  /** The cursor; null for an event that is not in the journal. */
  readonly id: number | null;
  readonly account_id: number;
  readonly lot_id: number;
  readonly event: string;
  /** The product a product's event tells of; null for all others. */
  productId(): number | null;
  frame(): Buffer;
}

/** The events whose payload's `data.id` is a product's id. */
const PRODUCT_EVENTS: ReadonlySet<string> = new Set(['lot_change', 'gateway_error']);

/** @param event as pushed by the store, or as read from the journal (payload still JSON text) */
export function outgoingEvent(event: JournalEvent | JournalRow, links: ImageLinks): OutgoingEvent {
  const { id, account_id, lot_id, event: name, payload } = event;
  let frame: Buffer | undefined;
  return {
    id,
    account_id,
    lot_id,
    event: name,
    productId() {
      if (!PRODUCT_EVENTS.has(name)) return null;
      const { data } = (typeof payload === 'string' ? JSON.parse(payload) : payload) as { data: { id: number } };
      return data.id;
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

/** Which of the events that a connection may get its client wants. */
import { z } from 'zod';
import { type ErrorEntry, VALIDATION } from '../../../shared/errors.js';
import { EVENT_SCHEMAS, type EventName } from '../../../shared/events/event-schemas.js';

const ITEMS_MAX = 1_000;
/** How many errors an answer names, and with how many characters each: a client must not have more sent to it than it sends. */
const ERRORS_MAX = 20;
const TEXT_MAX = 200;
const ids = z.array(z.number().int().positive()).max(ITEMS_MAX).optional();

export const subscriptionSchema = z.strictObject({
  events: z
    .array(z.enum(Object.keys(EVENT_SCHEMAS) as EventName[]))
    .max(ITEMS_MAX)
    .optional(),
  lots: ids,
  products: ids,
});

/** A set that is absent excludes nothing. */
export interface Subscription {
  events?: ReadonlySet<string>;
  lots?: ReadonlySet<number>;
  products?: ReadonlySet<number>;
}

export const EVERYTHING: Subscription = {};

/** Parses the data of a `subscribe` frame, which replaces an earlier subscription. Malformed data gives the error for the answer. */
export function parseSubscription(
  data: unknown,
): { ok: true; subscription: Subscription } | { ok: false; errors: ErrorEntry[] } {
  const parsed = subscriptionSchema.safeParse(data);
  if (!parsed.success) {
    const errors = parsed.error.issues.slice(0, ERRORS_MAX).map((issue) => {
      const path = [...issue.path, ...(issue.code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : [])];
      const field = path.length === 0 ? 'data' : path.join('.');
      return { code: VALIDATION, message: issue.message.slice(0, TEXT_MAX), field: field.slice(0, TEXT_MAX) };
    });
    return { ok: false, errors };
  }
  const { events, lots, products } = parsed.data;
  return {
    ok: true,
    subscription: {
      ...(events === undefined ? {} : { events: new Set<string>(events) }),
      ...(lots === undefined ? {} : { lots: new Set(lots) }),
      ...(products === undefined ? {} : { products: new Set(products) }),
    },
  };
}

/** What is wrong with a subscription that names lots which are not the caller's, or which do not exist: it cannot tell one from the other. */
export function foreignLots({ lots = new Set() }: Subscription, known: ReadonlySet<number>): ErrorEntry[] {
  return [...lots]
    .flatMap((lot, at) => (known.has(lot) ? [] : [`lots.${at}`]))
    .slice(0, ERRORS_MAX)
    .map((field) => ({ code: VALIDATION, message: 'There is no such thing', field }));
}

/** Named events, lots and products must all match; an event of no product does not match named products. */
export function matchesSubscription(
  subscription: Subscription,
  event: { event: string; lot_id: number; productId: () => number | null },
): boolean {
  const { events, lots, products } = subscription;
  if (events !== undefined && !events.has(event.event)) return false;
  if (lots !== undefined && !lots.has(event.lot_id)) return false;
  if (products === undefined) return true;
  const productId = event.productId();
  return productId !== null && products.has(productId);
}

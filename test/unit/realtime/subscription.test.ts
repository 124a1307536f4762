import { describe, expect, it } from 'vitest';
import { outgoingEvent } from '../../../cloud/doors/realtime/outgoing-event.js';
import { foreignLots, matchesSubscription, parseSubscription } from '../../../cloud/doors/realtime/subscription.js';
import type { EventName } from '../../../shared/events/event-schemas.js';

const links = { sign: (uid: string) => uid, signJson: (json: string) => json, verify: () => null };
const event = (name: EventName, lot_id: number, payload: unknown = {}) =>
  outgoingEvent({ id: 1, account_id: 1, lot_id, event: name, payload: JSON.stringify(payload), created_at: 0 }, links);
const matches = (data: unknown, notified: ReturnType<typeof event>) => {
  const parsed = parseSubscription(data);
  if (!parsed.ok) throw new Error(parsed.errors[0]?.message);
  return matchesSubscription(parsed.subscription, notified);
};

describe('subscription', () => {
  const opened = event('lot_change', 3, { lot_id: 3, data: { id: 8 } });
  const failed = event('gateway_error', 3, { type: 5, data: { id: 9 } });
  const read = event('plate_reading_create', 4, { id: 8 });

  it.each([
    ['everything', {}, [true, true, true]],
    ['one lot', { lots: [3] }, [true, true, false]],
    ['one event', { events: ['lot_change'] }, [true, false, false]],
    ['one product', { products: [8] }, [true, false, false]],
    ['two products', { products: [8, 9] }, [true, true, false]],
    ['all must match', { events: ['gateway_error'], lots: [3], products: [8] }, [false, false, false]],
    ['an empty list wants nothing', { events: [] }, [false, false, false]],
  ])('%s', (_name, data, expected) => {
    expect([opened, failed, read].map((notified) => matches(data, notified))).toEqual(expected);
  });

  it.each([
    [null, 'data'],
    ['text', 'data'],
    [[], 'data'],
    [{ events: 'lot_change' }, 'events'],
    [{ events: ['lot_change', 'authorized'] }, 'events.1'],
    [{ lots: [1, '2'] }, 'lots.1'],
    [{ products: [0] }, 'products.0'],
    [{ places: [1] }, 'places'],
    [{ lots: Array.from({ length: 1_001 }, () => 1) }, 'lots'],
  ])('%j is malformed at %s', (data, field) => {
    expect(parseSubscription(data)).toEqual({ ok: false, errors: [{ code: 23, message: expect.any(String), field }] });
  });

  it('names every lot that is not known', () => {
    const lots = new Set([3, 4, 5]);
    expect(foreignLots({ lots }, new Set([4])).map(({ field }) => field)).toEqual(['lots.0', 'lots.2']);
    expect(foreignLots({}, new Set())).toEqual([]);
  });
});

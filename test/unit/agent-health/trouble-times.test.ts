/** Since when something is wrong at a gateway, of what it sees of itself. */
import { beforeEach, expect, it } from 'vitest';
import { ownTroubles, productKey } from '../../../agent/health/decide-own-troubles.js';
import { createTroubleTimes } from '../../../agent/health/trouble-times.js';
import { createRecoveryCounter, radioHealthOf } from '../../../agent/product/radio-health.js';
import { statusOf, PRODUCT } from '../agent-console/view-world.js';
import { FakeClock } from '../../world/fake-clock.js';

let clock: FakeClock;
let wrong: { radio: boolean; store: boolean; clock: boolean; errors: number };
beforeEach(() => {
  clock = new FakeClock();
  wrong = { radio: false, store: false, clock: false, errors: 0 };
});

const start = () =>
  createTroubleTimes({
    clock,
    radio: () =>
      radioHealthOf({ state: wrong.radio ? 'unavailable' : 'on' }, [], createRecoveryCounter({ monotonic: () => 0 })),
    isStoreFailed: () => wrong.store,
    isClockKnown: () => !wrong.clock,
    products: () => [{ device_id: 'a', errors: wrong.errors, state: 'closed' }],
    onError: (error) => {
      throw error;
    },
  });

it('counts from when it began until it is right again, also when nobody asks', async () => {
  const times = start();
  expect(times.wrongForS()).toEqual({});
  Object.assign(wrong, { radio: true, errors: 4 });
  await clock.advance(5_000);
  await clock.advance(60_000);
  expect(times.wrongForS()).toEqual({ radio: 60, [productKey('a')]: 60 });
  Object.assign(wrong, { radio: false, store: true, clock: true });
  expect(times.wrongForS()).toEqual({ store: 0, clock: 0, [productKey('a')]: 65 - 5 });
  wrong.radio = true;
  expect(times.wrongForS()).toMatchObject({ radio: 0 });
  times.close();
  expect(clock.pending).toBe(0);
});

it('does not make up a beginning for what was wrong at the start', async () => {
  wrong.store = true;
  const times = start();
  await clock.advance(60_000);
  expect(times.wrongForS()).toEqual({});
  wrong.store = false;
  times.wrongForS();
  wrong.store = true;
  times.wrongForS();
  await clock.advance(10_000);
  expect(times.wrongForS()).toEqual({ store: 10 });
  times.close();
});

it('is the age of the troubles', () => {
  const now = Date.parse('2026-01-15T12:01:00.000Z');
  const status = statusOf({
    clock: { known: false, now: new Date(now).toISOString() },
    store: { path: '', bytes: 0, quarantined: null, failed: 'disk I/O error' },
    products: [{ ...PRODUCT, errors: ['jammed'] }],
    wrong_for_s: { store: 600, [productKey(PRODUCT.device_id)]: 120 },
  });
  const sinceOf = (kind: string) => ownTroubles(status).find((each) => each.kind === kind)?.since_ms;
  expect(sinceOf('store_failed')).toBe(now - 600_000);
  expect(sinceOf('product_error')).toBe(now - 120_000);
  expect(sinceOf('clock_wrong')).toBeNull();
});

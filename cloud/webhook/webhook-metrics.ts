/** Measures webhooks: what waits for them, what came of attempts, and how long those took. */
import { Histogram, type Registry } from 'prom-client';
import { OUTSIDE_S } from '../measure/buckets.js';
import { addDatabaseGauges, type DatabaseGaugeDeps } from '../measure/database-gauges.js';
import type { CloudStore } from '../store/cloud-store.js';
import { waitingDeliveries } from './webhook-queries.js';
import { ageS } from '../measure/age.js';

/** What came of an attempt. `stopped`: the service stops, and it is made again. */
export type AttemptEnd = 'acknowledged' | 'failed' | 'given_up' | 'gone' | 'stopped';

export interface WebhookMeasurement {
  attempted(end: AttemptEnd, tookMs: number): void;
}

/** Measures nothing. */
export const UNMEASURED: WebhookMeasurement = { attempted() {} };

export function createWebhookMeasurement(registry: Registry): WebhookMeasurement {
  const attempts = new Histogram({
    name: 'parking_webhook_attempt_seconds',
    help: 'How long a receiver of a webhook needed to answer an attempt; given_up: the last one, gone: it answered 410',
    labelNames: ['outcome'],
    buckets: OUTSIDE_S,
    registers: [registry],
  });
  return { attempted: (outcome, tookMs) => attempts.observe({ outcome }, tookMs / 1_000) };
}

/** Measures the deliveries that are not acknowledged. */
export function measureDeliveries(
  store: Pick<CloudStore, 'reader'>,
  deps: DatabaseGaugeDeps & { clock: { now(): number } },
): void {
  addDatabaseGauges(
    deps,
    async () => {
      const { count, oldest_at } = await waitingDeliveries(store.reader);
      return { count, oldest: oldest_at === null ? 0 : ageS(oldest_at, deps.clock.now()) };
    },
    {
      count: {
        name: 'parking_webhook_deliveries_waiting',
        help: 'Deliveries to webhooks that were neither acknowledged nor given up',
      },
      oldest: {
        name: 'parking_webhook_deliveries_waiting_oldest_seconds',
        help: 'Deliveries to webhooks that were neither acknowledged nor given up: how long the first of them waits already',
      },
    },
  );
}

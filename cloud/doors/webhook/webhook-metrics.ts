/** Measures webhooks: what waits for them, what came of attempts, and how long those took. */
import { Histogram, type Registry } from 'prom-client';
import { addWaitingGauges, type CloudStore, type DatabaseGaugeDeps, OUTSIDE_S } from '../../kernel/entry.js';
import { waitingDeliveries } from './webhook-queries.js';

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
  addWaitingGauges(deps, () => waitingDeliveries(store.reader), {
    name: 'parking_webhook_deliveries_waiting',
    what: 'Deliveries to webhooks that were neither acknowledged nor given up',
  });
}

import type { Clock } from '../../../shared/clock.js';
import type { CloudStore } from '../../kernel/store/entry.js';
import { deliveriesByIds, type WebhookDelivery } from './webhook-queries.js';

/** Longer than an attempt may take. */
const WAIT_MS = 20_000;

/**
 * Resolves to the delivery as soon as it has ended, whichever process attempts it. After 20 s, when many others are before it, it resolves
 * to the delivery as it is then; when the delivery was deleted with its webhook, to undefined.
 */
export async function awaitDelivery(
  { store, clock }: { store: CloudStore; clock: Clock },
  id: number,
): Promise<WebhookDelivery | undefined> {
  let isOver = false;
  let wake = () => {};
  const limit = clock.setTimer(WAIT_MS, () => {
    isOver = true;
    wake();
  });
  const stops = [
    store.onWritten(['webhook_deliveries', 'webhooks', 'accounts'], () => wake()),
    store.onForeignChange(() => wake()),
  ];
  try {
    for (;;) {
      const woken = new Promise<void>((resolve) => (wake = resolve));
      const [delivery] = await deliveriesByIds(store.reader, [id]);
      if (delivery === undefined || delivery.ended_at !== null || isOver) return delivery;
      await woken;
    }
  } finally {
    limit.cancel();
    for (const stop of stops) stop();
  }
}

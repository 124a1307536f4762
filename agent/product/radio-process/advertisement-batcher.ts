import type { Clock } from '../../../shared/clock.js';
import { createBatcher } from '../../../shared/flow/batcher.js';
import type { Advertisement } from '../radio.js';
import { keepNewest } from '../../../shared/keep-newest.js';

/** How long a repetition waits for others. It only says that the product is still there. */
const REPEATS_WAIT_MS = 100;
/** How many products are remembered; those that said something new longest ago are forgotten first. */
const PRODUCTS_MAX = 1_000;

export interface AdvertisementBatcher {
  add(advertisement: Advertisement): void;
  close(): void;
}

/**
 * Sends advertisements to the gateway, in the order in which they were heard. A new one is sent at once; one that repeats the last one of its
 * product waits for other repetitions, because a message between processes costs more than its content.
 */
export function createAdvertisementBatcher(options: {
  clock: Clock;
  send: (advertisements: readonly Advertisement[]) => void;
}): AdvertisementBatcher {
  const { clock, send } = options;
  const latest = new Map<string, Uint8Array>();
  const batcher = createBatcher({ clock, delayMs: () => REPEATS_WAIT_MS, send });
  return {
    add(advertisement) {
      const { address, manufacturerData } = advertisement;
      const before = latest.get(address);
      batcher.add([advertisement]);
      if (before !== undefined && Buffer.compare(before, manufacturerData) === 0) return;
      latest.delete(address);
      latest.set(address, manufacturerData);
      keepNewest(latest, PRODUCTS_MAX);
      batcher.flush();
    },
    close: batcher.close,
  };
}

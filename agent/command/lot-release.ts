/**
 * Opens every product of the gateway's lot in an emergency and holds it open. It uses the gateway's own credentials and needs no network. The
 * cloud does the same from afar (`POST /v2/lots/{id}/release`).
 */
import { type Clock, sleep } from '../../shared/clock.js';
import { GATEWAY_ERROR_MESSAGES, LINK_ERROR_TYPES } from '../../shared/errors.js';
import type { ProductItem } from '../../shared/gateway-config.js';
import type { EventId, ProductDeviceId } from '../../shared/ids.js';
import type { Logger } from '../../shared/logger.js';
import type { CommandOutcome, ProductCommander } from '../product/product-commander.js';
import { createSharedAbort } from '../waiting/shared-abort.js';

/** How long a product that cannot be reached is tried. */
const TRIED_FOR_MS = 30_000;
const PAUSE_MS = 500;

/** The outcome at one product. */
export interface ReleasedProduct {
  device_id: ProductDeviceId;
  name: string;
  is_done: boolean;
  /** Why it is not done, for people; null: it is done. */
  problem: string | null;
}

export interface LotRelease {
  /** Opens all products, to stay open. Resolves when each is open or was tried for long enough. A later `clear` breaks it off. */
  release(): Promise<ReleasedProduct[]>;
  /** Ends the release at all products, without moving them. */
  clear(): Promise<ReleasedProduct[]>;
  /** Breaks off what runs, and waits until it ended. */
  close(): Promise<void>;
}

export interface LotReleaseDeps {
  commander: ProductCommander;
  products(): Iterable<ProductItem>;
  clock: Clock;
  newEventId(): EventId;
  logger: Logger;
}

type ReleaseCommand = 'stay_open' | 'clear_stay_open';

export function createLotRelease(deps: LotReleaseDeps): LotRelease {
  const { commander, clock, logger } = deps;
  const running = new Set<Promise<unknown>>();
  // Each product of the lot listens to this signal.
  let present = createSharedAbort();
  let stopping: Error | null = null;

  async function command(item: ProductItem, name: ReleaseCommand, signal: AbortSignal): Promise<ReleasedProduct> {
    const { device_id } = item;
    const deadline_mono_ms = clock.monotonic() + TRIED_FOR_MS;
    // All attempts have the same event_id, so that the product moves once.
    const order = { device_id, event_id: deps.newEventId(), command: { name }, deadline_mono_ms };
    let outcome = await commander.execute(order, signal);
    while (isLinkFailure(outcome) && clock.monotonic() + PAUSE_MS < deadline_mono_ms) {
      try {
        await sleep(clock, PAUSE_MS, signal);
      } catch {
        break;
      }
      outcome = await commander.execute(order, signal);
    }
    const problem = outcome.outcome === 'succeeded' ? null : GATEWAY_ERROR_MESSAGES[outcome.type];
    return { device_id, name: item.name, is_done: problem === null, problem };
  }

  async function commandAll(name: ReleaseCommand): Promise<ReleasedProduct[]> {
    // Only the latest order counts: an earlier one must not open a product after a clear.
    present.abort(new Error('a later release, or its end, was ordered'));
    present = createSharedAbort();
    const { signal } = present;
    if (stopping !== null) present.abort(stopping);
    logger.warn({ command: name }, 'every product of the lot is commanded from this device');
    const done = Promise.all([...deps.products()].map((item) => command(item, name, signal)));
    running.add(done);
    try {
      return await done;
    } finally {
      running.delete(done);
    }
  }

  return {
    release: () => commandAll('stay_open'),
    clear: () => commandAll('clear_stay_open'),
    async close() {
      stopping = new Error('the gateway is stopping');
      present.abort(stopping);
      await Promise.all(running);
    },
  };
}

function isLinkFailure(outcome: CommandOutcome): boolean {
  return outcome.outcome === 'failed' && LINK_ERROR_TYPES.has(outcome.type);
}

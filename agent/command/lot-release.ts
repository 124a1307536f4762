/**
 * Opens every product of the gateway's lot in an emergency and holds it open. It uses the gateway's own credentials and needs no network. The
 * cloud does the same from afar (`POST /v2/lots/{id}/release`).
 */
import type { Clock } from '../../shared/clock.js';
import { GATEWAY_ERROR_MESSAGES } from '../../shared/errors.js';
import type { ProductItem } from '../../shared/gateway-config.js';
import type { EventId, ProductDeviceId } from '../../shared/ids.js';
import type { Logger } from '../../shared/logger.js';
import type { ProductCommander } from '../product/product-commander.js';
import { createSharedAbort } from '../waiting/shared-abort.js';
import type { Asking, LocalActions } from './local-actions.js';
import { tryCommand } from './try-command.js';

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
  release(asking: Asking): Promise<ReleasedProduct[]>;
  /** Ends the release at all products, without moving them. */
  clear(asking: Asking): Promise<ReleasedProduct[]>;
  /** Breaks off what runs, and waits until it ended. */
  close(): Promise<void>;
}

export interface LotReleaseDeps {
  commander: ProductCommander;
  products(): Iterable<ProductItem>;
  clock: Clock;
  newEventId(): EventId;
  actions: Pick<LocalActions, 'note'>;
  logger: Logger;
}

type ReleaseCommand = 'stay_open' | 'clear_stay_open';

export function createLotRelease(deps: LotReleaseDeps): LotRelease {
  const { actions, logger } = deps;
  const running = new Set<Promise<unknown>>();
  // Each product of the lot listens to this signal.
  let present = createSharedAbort();
  let stopping: Error | null = null;

  async function command(item: ProductItem, name: ReleaseCommand, signal: AbortSignal): Promise<ReleasedProduct> {
    const { device_id } = item;
    const outcome = await tryCommand(deps, { device_id, event_id: deps.newEventId(), name }, signal);
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
    release(asking) {
      void actions.note('release', asking);
      return commandAll('stay_open');
    },
    clear(asking) {
      void actions.note('release_clear', asking);
      return commandAll('clear_stay_open');
    },
    async close() {
      stopping = new Error('the gateway is stopping');
      present.abort(stopping);
      await Promise.all(running);
    },
  };
}

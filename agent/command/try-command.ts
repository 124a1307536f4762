/** Commands that people give at the gateway itself, with its own credentials and without a network. */
import { type Clock, sleep } from '../../shared/clock.js';
import { LINK_ERROR_TYPES } from '../../shared/errors.js';
import type { EventId, ProductDeviceId } from '../../shared/ids.js';
import type { ProductOperation } from '../../shared/uplink-orders.js';
import type { CommandOutcome, ProductCommander } from '../product/product-commander.js';

/** How long a product that cannot be reached is tried. */
const TRIED_FOR_MS = 30_000;
const PAUSE_MS = 500;

/** Tries a product again while only the link fails. All attempts have the same event_id, so that the product moves once. */
export async function tryCommand(
  deps: { commander: ProductCommander; clock: Clock },
  order: { device_id: ProductDeviceId; event_id: EventId; name: ProductOperation; is_urgent?: boolean },
  signal: AbortSignal,
): Promise<CommandOutcome> {
  const { commander, clock } = deps;
  const { name, ...rest } = order;
  const deadline_mono_ms = clock.monotonic() + TRIED_FOR_MS;
  const command = { ...rest, command: { name }, deadline_mono_ms };
  let outcome = await commander.execute(command, signal);
  while (isLinkFailure(outcome) && clock.monotonic() + PAUSE_MS < deadline_mono_ms) {
    try {
      await sleep(clock, PAUSE_MS, signal);
    } catch {
      break;
    }
    outcome = await commander.execute(command, signal);
  }
  return outcome;
}

function isLinkFailure(outcome: CommandOutcome): boolean {
  return outcome.outcome === 'failed' && LINK_ERROR_TYPES.has(outcome.type);
}

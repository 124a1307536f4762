/**
 * Opens the product of an admitted vehicle. An opening that fails because of the link is tried again, as long as the same vehicle
 * may still stand there (REST contract, "Commands", "tried again for 20 s, as long as no other plate was read there").
 */
import { type Clock, sleep } from '../../../shared/clock.js';
import { LINK_ERROR_TYPES } from '../../../shared/errors.js';
import type { EventId, ProductDeviceId } from '../../../shared/ids.js';
import type { CommandOutcome, ProductCommander } from '../../product/product-commander.js';

/** A command of the cloud waits for one gateway for the same time. */
const FIRST_ATTEMPT_MS = 30_000;
const RETRY_FOR_MS = 20_000;
const RETRY_PAUSE_MS = 500;

export interface Opening {
  device_id: ProductDeviceId;
  /** All attempts have the same event_id, so that the product moves only once. */
  event_id: EventId;
  /** The normalised plate of the vehicle that waits. */
  plate: string;
}

export interface ProductOpener {
  /**
   * Gives the command before it returns. Resolves with the last attempt's outcome; never rejects.
   * @param onFailed called when the first attempt fails; others may follow
   */
  open(opening: Opening, onFailed: () => void): Promise<CommandOutcome>;
  /** Notes that a vehicle was read at the product. Another plate ends the attempts for an earlier one. */
  onPlateRead(deviceId: ProductDeviceId, plate: string): void;
  /** Ends all retries. */
  close(): void;
}

export function createProductOpener(deps: { commander: ProductCommander; clock: Clock }): ProductOpener {
  const { commander, clock } = deps;
  const waiting = new Map<ProductDeviceId, { plate: string; retries: AbortController }>();

  async function finish(
    opening: Opening,
    first: Promise<CommandOutcome>,
    retries: AbortController,
    onFailed: () => void,
  ): Promise<CommandOutcome> {
    let outcome = await first;
    if (outcome.outcome === 'failed') onFailed();
    const untilMonoMs = clock.monotonic() + RETRY_FOR_MS;
    while (isLinkFailure(outcome) && clock.monotonic() + RETRY_PAUSE_MS < untilMonoMs) {
      try {
        await sleep(clock, RETRY_PAUSE_MS, retries.signal);
      } catch {
        break;
      }
      const command = {
        device_id: opening.device_id,
        event_id: opening.event_id,
        command: { name: 'open' as const },
        deadline_mono_ms: untilMonoMs,
        is_urgent: true,
      };
      outcome = await commander.execute(command, retries.signal);
    }
    if (waiting.get(opening.device_id)?.retries === retries) waiting.delete(opening.device_id);
    return outcome;
  }

  return {
    open(opening, onFailed) {
      const { device_id, event_id, plate } = opening;
      // A newer admission of the same vehicle replaces an older one.
      waiting.get(device_id)?.retries.abort();
      const deadline_mono_ms = clock.monotonic() + FIRST_ATTEMPT_MS;
      const command = { name: 'open' as const };
      const first = commander.execute({ device_id, event_id, command, deadline_mono_ms, is_urgent: true });
      const retries = new AbortController();
      waiting.set(device_id, { plate, retries });
      return finish(opening, first, retries, onFailed);
    },
    onPlateRead(deviceId, plate) {
      const earlier = waiting.get(deviceId);
      if (earlier !== undefined && earlier.plate !== plate) earlier.retries.abort();
    },
    close() {
      for (const { retries } of waiting.values()) retries.abort();
    },
  };
}

function isLinkFailure(outcome: CommandOutcome): boolean {
  return outcome.outcome === 'failed' && LINK_ERROR_TYPES.has(outcome.type);
}

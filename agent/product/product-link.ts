/** Opens and closes links to products within limits, because a radio's driver may exceed its own limits or never settle. */
import type { Clock } from '../../shared/clock.js';
import { GATEWAY_ERROR } from '../../shared/gateway-error-types.js';
import type { Logger } from '../../shared/logger.js';
import { waitFor } from '../waiting/wait-for.js';
import { type LinkChannel, type Radio, RadioError, type RadioLink } from './radio.js';

const CONNECTED_WITHIN_MS = 10_000;
/** How much later than its limit a driver may settle; after that it is no longer awaited. */
const DRIVER_GRACE_MS = 500;
const CLOSED_WITHIN_MS = 10_000;

export interface LinkDeps {
  radio: Radio;
  clock: Clock;
  logger: Logger;
}

interface Limit {
  /** The time until the command's deadline. */
  leftMs: number;
  signal: AbortSignal | undefined;
}

/**
 * Connects to a product. A radio serves one connect after the other and counts the time of each from its turn on. This one is given up
 * at the deadline even if its turn has not come.
 * @throws RadioError when there is no link in time; the signal's reason when it is aborted first
 */
export async function connectWithin(
  deps: LinkDeps,
  {
    address,
    channel,
    leftMs,
    signal,
    isUrgent,
    slotWithinMs,
  }: Limit & { address: string; channel: LinkChannel; isUrgent: boolean; slotWithinMs: number | undefined },
): Promise<RadioLink> {
  signal?.throwIfAborted();
  const givenUp = new AbortController();
  const timeoutMs = Math.min(CONNECTED_WITHIN_MS, leftMs);
  const slot = slotWithinMs === undefined ? {} : { slotWithinMs };
  const connecting = deps.radio.connect(address, { timeoutMs, signal: givenUp.signal, channel, isUrgent, ...slot });
  try {
    const link = await inTime(deps, connecting, { timeoutMs: leftMs + DRIVER_GRACE_MS, signal, late: null });
    if (link !== null) return link;
    throw new RadioError(
      GATEWAY_ERROR.BLUETOOTH,
      `The radio had no time for ${address} before the deadline of the command`,
    );
  } catch (error) {
    givenUp.abort(error);
    // A link that is made nevertheless must not block the product for others.
    connecting.then(
      (link) => hangUp(deps, link),
      () => {},
    );
    throw error;
  }
}

/** Closes a link. Never rejects, and does not wait for ever. */
export async function hangUp(deps: LinkDeps, link: RadioLink): Promise<void> {
  try {
    const closing = link.close().then(() => true);
    const isClosed = await inTime(deps, closing, { timeoutMs: CLOSED_WITHIN_MS, signal: undefined, late: false });
    if (!isClosed) deps.logger.error({}, `a link did not close within ${CLOSED_WITHIN_MS} ms`);
  } catch (error) {
    deps.logger.error({ err: error }, 'a link could not be closed');
  }
}

/** Resolves to the result of the work, or to `late` when it takes too long. Rejects as the work does, or with the signal's reason. */
export function inTime<T, L>(
  { clock }: Pick<LinkDeps, 'clock'>,
  work: Promise<T>,
  { timeoutMs, signal, late }: { timeoutMs: number; signal: AbortSignal | undefined; late: L },
): Promise<T | L> {
  return waitFor<T | L>({
    clock,
    signals: signal === undefined ? [] : [signal],
    listen(resolve, reject) {
      const timer = clock.setTimer(timeoutMs, () => resolve(late));
      work.then(resolve, reject);
      return () => timer.cancel();
    },
  });
}

import { GATEWAY_ERROR_MESSAGES, type GatewayErrorType } from '../../shared/errors.js';
import type { ProductItem } from '../../shared/gateway-config.js';
import { GATEWAY_ERROR } from '../../shared/gateway-error-types.js';
import type { EventId, ProductDeviceId } from '../../shared/ids.js';
import { relayPairing } from './pairing-relay.js';
import {
  type CommandOutcome,
  type FailedAttempt,
  failedAttempt,
  type PairingOutcome,
  type ProductCommander,
  type ProductPairer,
} from './product-commander.js';
import { connectWithin, hangUp, inTime, type LinkDeps } from './product-link.js';
import type { ProductWatch } from './product-watch.js';
import { type LinkChannel, RadioError, type RadioLink } from './radio.js';
import { type CommandRunDeps, runCommand } from './run-command.js';

/** A product advertises every few hundred milliseconds: one that is not heard for this long is not there. */
const HEARD_WITHIN_MS = 5_000;

export interface RadioCommanderDeps extends CommandRunDeps, LinkDeps {
  watch: ProductWatch;
}

/** What is to be done with a product over one link. */
interface Order {
  device_id: ProductDeviceId;
  event_id: EventId;
  deadline_mono_ms: number;
}

/** One order on its way. */
interface Job<Done extends CommandOutcome | PairingOutcome> {
  order: Order;
  /** Command name, or `pair`. */
  name: string;
  channel: LinkChannel;
  signal: AbortSignal | undefined;
  /** Says why a product of this configuration cannot do it; null: it can. */
  obstacle(item: ProductItem): GatewayErrorType | null;
  /** The address of the product, if it was heard before. */
  address(): string | null;
  use(link: RadioLink, item: ProductItem): Promise<Done>;
}

/** A job's place among those of its product. */
interface Turn {
  /** Settles when the jobs before it have released the product; absent when there are none. */
  before: Promise<unknown> | undefined;
  /** Call it with a promise; the job has released the product when that settles. */
  onHangUp(closed: Promise<void>): void;
}

/**
 * Carries out commands and pairings over Bluetooth, one at a time per product, in the order in which they came. They resolve as soon as
 * the outcome is known, while the link is still being closed. An abort ends a job that has not moved the product yet.
 */
export function createRadioCommander(deps: RadioCommanderDeps): ProductCommander & ProductPairer {
  const lastOfProduct = new Map<ProductDeviceId, Promise<unknown>>();

  function enqueue<Done extends CommandOutcome | PairingOutcome>(job: Job<Done>): Promise<Done | FailedAttempt> {
    const { device_id } = job.order;
    const before = lastOfProduct.get(device_id);
    let closed = Promise.resolve();
    const done = run(deps, job, { before, onHangUp: (closing) => (closed = closing) });
    // When a job gives up in the queue, later jobs still wait for the one before it.
    const over = Promise.all([before, done.then(() => closed)]);
    lastOfProduct.set(device_id, over);
    void over.then(() => {
      if (lastOfProduct.get(device_id) === over) lastOfProduct.delete(device_id);
    });
    return done;
  }

  return {
    execute: (command, signal) =>
      enqueue<CommandOutcome>({
        order: command,
        name: command.command.name,
        channel: 'commands',
        signal,
        obstacle: ({ pairing }) => (pairing === null ? GATEWAY_ERROR.NOT_INITIALIZED : null),
        address: () => deps.watch.knownAddress(command.device_id),
        use: (link, item) => runCommand(deps, { link, item, command, signal }),
      }),
    pair: (order, signal) =>
      enqueue<PairingOutcome>({
        order,
        name: 'pair',
        channel: 'pairing',
        signal,
        obstacle: () => null,
        address: () => deps.watch.pairingAddress(order.device_id),
        use: (link) => relayPairing({ link, clock: deps.clock, order, signal }),
      }),
  };
}

async function run<Done extends CommandOutcome | PairingOutcome>(
  deps: RadioCommanderDeps,
  job: Job<Done>,
  turn: Turn,
): Promise<Done | FailedAttempt> {
  const { order, name, signal } = job;
  const startedMs = deps.clock.monotonic();
  const fields = { device_id: order.device_id, event_id: order.event_id, command: name };
  let outcome: Done | FailedAttempt;
  let reason: string | undefined;
  try {
    outcome = await attempt(deps, job, turn);
  } catch (error) {
    if (error instanceof RadioError) reason = error.message;
    else if (signal?.aborted) reason = 'the command was called off';
    else deps.logger.error({ ...fields, err: error }, 'command broke off');
    outcome = failedAttempt(error instanceof RadioError ? error.type : GATEWAY_ERROR.BLUETOOTH);
  }
  const took = { ...fields, took_ms: Math.round(deps.clock.monotonic() - startedMs) };
  if (outcome.outcome === 'succeeded') deps.logger.info(took, 'product did it');
  else
    deps.logger.warn(
      { ...took, type: outcome.type, reason },
      `product did not: ${GATEWAY_ERROR_MESSAGES[outcome.type]}`,
    );
  return outcome;
}

/** Begins to connect before it returns, if the product is free and was heard before. */
async function attempt<Done extends CommandOutcome | PairingOutcome>(
  deps: RadioCommanderDeps,
  job: Job<Done>,
  { before, onHangUp }: Turn,
): Promise<Done | FailedAttempt> {
  const { clock, watch, radio } = deps;
  const { order, channel, signal } = job;
  const { device_id } = order;
  const leftMs = () => order.deadline_mono_ms - clock.monotonic();
  if (before !== undefined) {
    const isFree = before.then(() => true);
    if (!(await inTime(deps, isFree, { timeoutMs: leftMs(), signal, late: false })))
      return failedAttempt(GATEWAY_ERROR.BUSY);
  }
  const item = watch.product(device_id);
  if (item === null) return failedAttempt(GATEWAY_ERROR.NOT_FOUND);
  const obstacle = job.obstacle(item);
  if (obstacle !== null) return failedAttempt(obstacle);
  if (leftMs() <= 0) return failedAttempt(GATEWAY_ERROR.BLUETOOTH);
  const address = job.address() ?? (await listenFor(deps, { device_id, leftMs: leftMs(), signal }));
  if (address === null) return failedAttempt(radio.state === 'on' ? GATEWAY_ERROR.NOT_FOUND : GATEWAY_ERROR.BLUETOOTH);
  const link = await connectWithin(deps, { address, channel, leftMs: leftMs(), signal });
  try {
    return await job.use(link, item);
  } finally {
    onHangUp(hangUp(deps, link));
  }
}

async function listenFor(
  { radio, watch }: RadioCommanderDeps,
  { device_id, leftMs, signal }: { device_id: ProductDeviceId; leftMs: number; signal: AbortSignal | undefined },
): Promise<string | null> {
  if (radio.state === 'off') return null;
  const timeoutMs = Math.min(HEARD_WITHIN_MS, leftMs);
  return watch.address(device_id, signal === undefined ? { timeoutMs } : { timeoutMs, signal });
}

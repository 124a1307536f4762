import { sleep } from '../../shared/clock.js';
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
  type ProductCommand,
  type ProductCommander,
  type ProductPairer,
} from './product-commander.js';
import { createHeldLinks, type HeldLinks } from './held-links.js';
import { connectWithin, inTime, type LinkDeps } from './product-link.js';
import { createProductTurns, type EarlierJob, type Turn } from './product-turns.js';
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
  /** Whether the product can do it while it still moves for another job, over the same link. */
  mayShareMovement: boolean;
  /** Says why a product of this configuration cannot do it; null: it can. */
  obstacle(item: ProductItem): GatewayErrorType | null;
  /** The address of the product, if it was heard before. */
  address(): string | null;
  /** @param onMoving called when the product says that it moves */
  use(link: RadioLink, item: ProductItem, onMoving: () => void): Promise<Done>;
}

/** A job at its product. */
interface JobTurn extends Pick<Turn, 'before' | 'setMoving'> {
  links: HeldLinks;
  /** Call it with a promise; the job has released the product when that settles. */
  onRelease(released: Promise<void>): void;
}

/** How soon a product that is busy with a movement is asked again. */
const BUSY_PAUSE_MS = 1_000;

/**
 * Carries out commands and pairings over Bluetooth, one at a time per product, in the order in which they came; only an opening command
 * does not wait for the movement of the one before it. They resolve as soon as the outcome is known. An abort ends a job that has not
 * moved the product yet. A product that says that it is busy is asked again until the deadline.
 */
export function createRadioCommander(deps: RadioCommanderDeps): ProductCommander & ProductPairer {
  const turns = createProductTurns();
  const links = createHeldLinks(deps);

  function enqueue<Done extends CommandOutcome | PairingOutcome>(job: Job<Done>): Promise<Done | FailedAttempt> {
    const { before, setMoving, end } = turns.enter(job.order.device_id);
    let released = Promise.resolve();
    const done = run(deps, job, { before, setMoving, links, onRelease: (over) => (released = over) });
    void done.then(() => end(released));
    return done;
  }

  /** @returns the outcome, and whether the product moved for this command */
  async function ask(command: ProductCommand, signal: AbortSignal | undefined) {
    let hasMoved = false;
    const { name } = command.command;
    const outcome = await enqueue<CommandOutcome>({
      order: command,
      name,
      channel: 'commands',
      signal,
      mayShareMovement: name === 'open' || name === 'stay_open',
      obstacle: ({ pairing }) => (pairing === null ? GATEWAY_ERROR.NOT_INITIALIZED : null),
      address: () => deps.watch.knownAddress(command.device_id),
      use: (link, item, onMoving) =>
        runCommand(deps, {
          link,
          item,
          command,
          signal,
          onMoving() {
            hasMoved = true;
            onMoving();
          },
        }),
    });
    return { outcome, hasMoved };
  }

  return {
    async execute(command, signal) {
      for (;;) {
        const { outcome, hasMoved } = await ask(command, signal);
        const isOver = deps.clock.monotonic() + BUSY_PAUSE_MS >= command.deadline_mono_ms;
        // A movement that began and then ended as busy was turned back for somebody who wants to pass.
        if (hasMoved || isOver || !isStillMoving(outcome)) return outcome;
        try {
          await sleep(deps.clock, BUSY_PAUSE_MS, signal);
        } catch {
          return outcome;
        }
      }
    },
    pair: (order, signal) =>
      enqueue<PairingOutcome>({
        order,
        name: 'pair',
        channel: 'pairing',
        signal,
        mayShareMovement: false,
        obstacle: () => null,
        address: () => deps.watch.pairingAddress(order.device_id),
        use: (link) => relayPairing({ link, clock: deps.clock, order, signal }),
      }),
  };
}

/** Whether the product refused because it is in motion. One that rests tells what an earlier attempt at this command came to. */
function isStillMoving(outcome: CommandOutcome): boolean {
  if (outcome.outcome === 'succeeded' || !outcome.authenticated) return false;
  return outcome.type === GATEWAY_ERROR.BUSY && outcome.block.state === 'moving';
}

async function run<Done extends CommandOutcome | PairingOutcome>(
  deps: RadioCommanderDeps,
  job: Job<Done>,
  turn: JobTurn,
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
  turn: JobTurn,
): Promise<Done | FailedAttempt> {
  const { clock, watch, radio } = deps;
  const { links } = turn;
  const { order, channel, signal } = job;
  const { device_id } = order;
  const leftMs = () => order.deadline_mono_ms - clock.monotonic();
  const early = turn.before === undefined ? 'free' : await awaitTurn(deps, job, turn.before);
  if (early === 'late') return failedAttempt(GATEWAY_ERROR.BUSY);
  const item = watch.product(device_id);
  if (item === null) return failedAttempt(GATEWAY_ERROR.NOT_FOUND);
  const obstacle = job.obstacle(item);
  if (obstacle !== null) return failedAttempt(obstacle);
  if (leftMs() <= 0) return failedAttempt(GATEWAY_ERROR.BLUETOOTH);
  const standing = channel === 'commands' ? links.use(device_id) : null;
  if (standing !== null) {
    const outcome = await useLink(job, turn, { link: standing, item });
    // The link may have ended just when it was to be used again; a movement shared with another job ended with it.
    if (early === 'moving' || !isLinkLost(outcome)) return outcome;
  }
  const ending = links.drop(device_id);
  if (ending !== undefined) await inTime(deps, ending, { timeoutMs: leftMs(), signal, late: undefined });
  const address = job.address() ?? (await listenFor(deps, { device_id, leftMs: leftMs(), signal }));
  if (address === null) return failedAttempt(radio.state === 'on' ? GATEWAY_ERROR.NOT_FOUND : GATEWAY_ERROR.BLUETOOTH);
  const link = await connectWithin(deps, { address, channel, leftMs: leftMs(), signal });
  links.add(device_id, link);
  return useLink(job, turn, { link, item });
}

/** Waits until the product is free, or moves for the job before so that this one can share the movement; `late`: not before the deadline. */
async function awaitTurn(
  deps: RadioCommanderDeps,
  { order, signal, mayShareMovement }: Pick<Job<never>, 'order' | 'signal' | 'mayShareMovement'>,
  before: EarlierJob,
): Promise<'free' | 'moving' | 'late'> {
  const free = before.over.then(() => 'free' as const);
  const moving = before.moving.then(() => 'moving' as const);
  const timeoutMs = order.deadline_mono_ms - deps.clock.monotonic();
  return inTime(deps, mayShareMovement ? Promise.race([free, moving]) : free, { timeoutMs, signal, late: 'late' });
}

async function useLink<Done extends CommandOutcome | PairingOutcome>(
  job: Job<Done>,
  { links, setMoving, onRelease }: JobTurn,
  { link, item }: { link: RadioLink; item: ProductItem },
): Promise<Done> {
  let isWell = false;
  try {
    const outcome = await job.use(link, item, setMoving);
    isWell = job.channel === 'commands' && (outcome.outcome === 'succeeded' || outcome.authenticated);
    return outcome;
  } finally {
    onRelease(links.release(job.order.device_id, link, isWell));
  }
}

function isLinkLost(outcome: CommandOutcome | PairingOutcome): boolean {
  return outcome.outcome === 'failed' && !outcome.authenticated && outcome.type === GATEWAY_ERROR.DISCONNECTED;
}

async function listenFor(
  { radio, watch }: RadioCommanderDeps,
  { device_id, leftMs, signal }: { device_id: ProductDeviceId; leftMs: number; signal: AbortSignal | undefined },
): Promise<string | null> {
  if (radio.state === 'off') return null;
  const timeoutMs = Math.min(HEARD_WITHIN_MS, leftMs);
  return watch.address(device_id, signal === undefined ? { timeoutMs } : { timeoutMs, signal });
}

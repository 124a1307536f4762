import { sleep } from '../../shared/clock.js';
import { GATEWAY_ERROR_MESSAGES, type GatewayErrorType } from '../../shared/errors.js';
import type { ProductItem } from '../../shared/gateway-config.js';
import { GATEWAY_ERROR } from '../../shared/gateway-error-types.js';
import type { EventId, ProductDeviceId } from '../../shared/ids.js';
import type { CommandName } from '../../shared/product-protocol/commands.js';
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
import { createProductTurns, type JobKind, type Turn, type TurnStart } from './product-turns.js';
import type { ProductWatch } from './product-watch.js';
import { type LinkChannel, RadioError, type RadioLink } from './radio.js';
import { type CommandRunDeps, runCommand } from './run-command.js';
import { errorText } from '../../shared/error-text.js';

/** A product advertises every few hundred milliseconds, so one that is not heard for this long is not there. */
const HEARD_WITHIN_MS = 5_000;

export interface RadioCommanderDeps extends CommandRunDeps, LinkDeps {
  watch: ProductWatch;
}

/** The work on a product over one link. */
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
  isUrgent: boolean;
  /** How long the job may wait for a connection of the adapter; undefined: until its deadline. */
  slotWithinMs: number | undefined;
  kind: JobKind;
  /** Says why a product of this configuration cannot do it; null: it can. */
  obstacle(item: ProductItem): GatewayErrorType | null;
  /** The address of the product, if it was heard before. */
  address(): string | null;
  /**
   * @param how.onMoving called when the product says that it moves
   * @param how.leave aborted when the link is given up meanwhile
   * @returns `left`: the link was given up, and the result is asked for later
   */
  use(link: RadioLink, item: ProductItem, how: { onMoving: () => void; leave: AbortSignal }): Promise<Done | 'left'>;
}

/** A job at its product. */
interface JobTurn extends Pick<Turn, 'start' | 'setMoving'> {
  links: HeldLinks;
  /** Call it with a promise that settles when the job has released the product. */
  onRelease(released: Promise<void>): void;
}

/** How long a command waits for another link to be given up before it is handed over to another gateway. */
const SLOT_WITHIN_MS = 1_500;

/** A command that is not named here is `ordered`. */
const JOB_KINDS: Partial<Record<CommandName, JobKind>> = {
  open: 'opening',
  stay_open: 'opening',
  status: 'still',
  set_time: 'still',
  autoclose: 'still',
  admin: 'still',
};

/** How soon a product that is busy with a movement is asked again. */
const BUSY_PAUSE_MS = 1_000;

/** How long before its deadline a job has to be back at a product that it left while it moved. */
const BACK_BEFORE_DEADLINE_MS = 6_000;
/** The longest time that a job stays away when nobody hears the end of the movement. */
const AWAY_MAX_MS = 10_000;

/**
 * Runs commands and pairings over Bluetooth, one at a time per product, in the order in which they came. An opening command is the
 * exception: it waits neither for a movement that is under way nor for the jobs that wait for the end of that movement. A job resolves as
 * soon as its outcome is known. An abort ends a job that has not moved the product yet. A product that is busy is asked again until the
 * deadline.
 * When the adapter has no connection left, the link of a moving product is given up, unless its command is urgent. The same command asks for
 * the result when the product is heard at rest.
 */
export function createRadioCommander(deps: RadioCommanderDeps): ProductCommander & ProductPairer {
  const turns = createProductTurns();
  const links = createHeldLinks(deps);

  function enqueue<Done extends CommandOutcome | PairingOutcome>(job: Job<Done>): Promise<Done | FailedAttempt> {
    const { start, setMoving, end } = turns.enter(job.order.device_id, job.kind);
    let released = Promise.resolve();
    const done = run(deps, job, { start, setMoving, links, onRelease: (over) => (released = over) });
    void done.then(() => end(released));
    return done;
  }

  return {
    async execute(command, signal) {
      for (;;) {
        let hasMoved = false;
        const outcome = await enqueue(commandJob(deps, command, { signal, onMoving: () => (hasMoved = true) }));
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
        isUrgent: false,
        slotWithinMs: undefined,
        kind: 'ordered',
        obstacle: () => null,
        address: () => deps.watch.pairingAddress(order.device_id),
        use: (link) => relayPairing({ link, clock: deps.clock, order, signal }),
      }),
  };
}

/** @param how.onMoving called when the product says that it moves for this command */
function commandJob(
  deps: RadioCommanderDeps,
  command: ProductCommand,
  how: { signal: AbortSignal | undefined; onMoving: () => void },
): Job<CommandOutcome> {
  const { signal } = how;
  const { name } = command.command;
  return {
    order: command,
    name,
    channel: 'commands',
    signal,
    isUrgent: command.is_urgent === true,
    slotWithinMs: command.can_hand_over === true ? SLOT_WITHIN_MS : undefined,
    kind: JOB_KINDS[name] ?? 'ordered',
    obstacle: ({ pairing }) => (pairing === null ? GATEWAY_ERROR.NOT_INITIALIZED : null),
    address: () => deps.watch.knownAddress(command.device_id),
    use(link, item, { onMoving, leave }) {
      const onMovingNow = () => {
        how.onMoving();
        onMoving();
      };
      return runCommand(deps, { link, item, command, signal, leave, onMoving: onMovingNow });
    },
  };
}

/** Says whether the product refused in motion. At rest it answers with the result of an earlier attempt. */
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
    if (error instanceof RadioError) reason = errorText(error);
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
  const start = turn.start === null ? 'free' : await awaitTurn(deps, job, turn.start);
  if (start === 'late') return failedAttempt(GATEWAY_ERROR.BUSY);
  for (let isShared = start === 'moving'; ; isShared = true) {
    const outcome = await tryOnce(deps, job, { turn, isShared });
    if (outcome !== 'left') return outcome;
    const { device_id, event_id, deadline_mono_ms } = job.order;
    deps.logger.debug({ device_id, event_id }, 'the link of a moving product was given up for another product');
    const leftMs = deadline_mono_ms - BACK_BEFORE_DEADLINE_MS - deps.clock.monotonic();
    const timeoutMs = Math.max(0, Math.min(AWAY_MAX_MS, leftMs));
    await deps.watch.rest(device_id, { timeoutMs, signal: job.signal });
  }
}

/** @param isShared whether the product may be moving for this job or another one */
async function tryOnce<Done extends CommandOutcome | PairingOutcome>(
  deps: RadioCommanderDeps,
  job: Job<Done>,
  { turn, isShared }: { turn: JobTurn; isShared: boolean },
): Promise<Done | FailedAttempt | 'left'> {
  const { clock, watch, radio } = deps;
  const { links } = turn;
  const { order, channel, signal } = job;
  const { device_id } = order;
  const leftMs = () => order.deadline_mono_ms - clock.monotonic();
  const item = watch.product(device_id);
  if (item === null) return failedAttempt(GATEWAY_ERROR.NOT_FOUND);
  const obstacle = job.obstacle(item);
  if (obstacle !== null) return failedAttempt(obstacle);
  if (leftMs() <= 0) return failedAttempt(GATEWAY_ERROR.BLUETOOTH);
  const making = links.made(device_id);
  if (making !== undefined) await inTime(deps, making, { timeoutMs: leftMs(), signal, late: undefined });
  const standing = channel === 'commands' ? links.use(device_id) : null;
  if (standing !== null) {
    const outcome = await useLink(job, { turn, link: standing, item });
    // The link may have ended just when it was to be used again; a movement shared with another job ended with it.
    if (outcome === 'left' || isShared || !isLinkLost(outcome)) return outcome;
  }
  const ending = links.drop(device_id);
  if (ending !== undefined) await inTime(deps, ending, { timeoutMs: leftMs(), signal, late: undefined });
  const address = job.address() ?? (await listenFor(deps, { device_id, leftMs: leftMs(), signal }));
  if (address === null) return failedAttempt(radio.state === 'on' ? GATEWAY_ERROR.NOT_FOUND : GATEWAY_ERROR.BLUETOOTH);
  links.makeRoom();
  const { isUrgent } = job;
  // Whoever has moved the product comes back for its result.
  const slotWithinMs = isShared ? undefined : job.slotWithinMs;
  const connecting = connectWithin(deps, { address, channel, leftMs: leftMs(), signal, isUrgent, slotWithinMs });
  links.making(device_id, connecting);
  const link = await connecting;
  links.add(device_id, link, address);
  return useLink(job, { turn, link, item });
}

/** `late`: the turn did not come before the deadline. */
function awaitTurn(
  deps: RadioCommanderDeps,
  { order, signal }: Pick<Job<never>, 'order' | 'signal'>,
  start: Promise<TurnStart>,
): Promise<TurnStart | 'late'> {
  const timeoutMs = order.deadline_mono_ms - deps.clock.monotonic();
  return inTime(deps, start, { timeoutMs, signal, late: 'late' });
}

async function useLink<Done extends CommandOutcome | PairingOutcome>(
  job: Job<Done>,
  { turn, link, item }: { turn: JobTurn; link: RadioLink; item: ProductItem },
): Promise<Done | 'left'> {
  const { links, setMoving, onRelease } = turn;
  const { device_id, deadline_mono_ms } = job.order;
  const leaving = new AbortController();
  const offer = {
    untilMs: deadline_mono_ms - BACK_BEFORE_DEADLINE_MS,
    leave: () => leaving.abort(),
  };
  let isWell = false;
  let withdraw = () => {};
  const onMoving = () => {
    setMoving();
    if (!job.isUrgent) withdraw = links.offer(device_id, link, offer);
  };
  try {
    const outcome = await job.use(link, item, { onMoving, leave: leaving.signal });
    isWell =
      outcome !== 'left' && job.channel === 'commands' && (outcome.outcome === 'succeeded' || outcome.authenticated);
    return outcome;
  } finally {
    withdraw();
    onRelease(links.release(device_id, link, isWell));
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

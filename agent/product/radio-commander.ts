import type { Clock } from '../../shared/clock.js';
import { GATEWAY_ERROR_MESSAGES, type GatewayErrorType } from '../../shared/errors.js';
import type { ProductItem } from '../../shared/gateway-config.js';
import type { EventId, ProductDeviceId } from '../../shared/ids.js';
import type { Logger } from '../../shared/logger.js';
import type { ClientOutcome } from '../../shared/product-protocol/client-machine.js';
import { type ProtocolCommand, requiredOp } from '../../shared/product-protocol/commands.js';
import { CLIENT_NONCE_LENGTH } from '../../shared/product-protocol/message-codec.js';
import type { ProtocolCrypto } from '../../shared/product-protocol/protocol-crypto.js';
import { type CredentialBytes, decodeCredential } from '../../shared/product-protocol/token-codec.js';
import { runExchange } from './exchange.js';
import { relayPairing } from './pairing-relay.js';
import type {
  CommandOutcome,
  PairingOutcome,
  ProductCommand,
  ProductCommander,
  ProductPairer,
} from './product-commander.js';
import type { ProductWatch } from './product-watch.js';
import { type LinkChannel, type Radio, RadioError, type RadioLink } from './radio.js';
import { waitFor } from './wait-for.js';

/** A product advertises every few hundred milliseconds: one that is not heard for so long is not there. */
const HEARD_WITHIN_MS = 5_000;
const CONNECTED_WITHIN_MS = 10_000;
/** How much later than its limit a driver may settle. After that nobody waits for it any more. */
const DRIVER_GRACE_MS = 500;
const CLOSED_WITHIN_MS = 10_000;
const REFUSED_TOKEN: GatewayErrorType = 1;
const RTCC_NOT_SET: GatewayErrorType = 9;
/** A product's clock that is off by more may be why it refused a token that lives for seconds. */
const CLOCK_OFF_MS = 2_000;

export interface RadioCommanderDeps {
  radio: Radio;
  watch: ProductWatch;
  crypto: ProtocolCrypto;
  clock: Clock;
  randomBytes(length: number): Uint8Array;
  /** Wall milliseconds, or null while the gateway does not know the time: it then sets no product's clock. */
  knownTime(): number | null;
  logger: Logger;
}

/** What is to be done with a product over one link. */
interface Order {
  device_id: ProductDeviceId;
  event_id: EventId;
  deadline_mono_ms: number;
}

type Failure = Extract<CommandOutcome, { authenticated: false }>;

/** One order on its way. */
interface Job<Done extends CommandOutcome | PairingOutcome> {
  order: Order;
  /** Command name, or `pair`. */
  name: string;
  channel: LinkChannel;
  signal: AbortSignal | undefined;
  /** Why a product of this configuration cannot do it; null: it may. */
  obstacle(item: ProductItem): GatewayErrorType | null;
  /** Where the product is, when it was heard before. */
  address(): string | null;
  use(link: RadioLink, item: ProductItem): Promise<Done>;
}

/** A job's place among those of its product. */
interface Turn {
  /** Settles when the jobs before it have let go of the product; absent when there are none. */
  before: Promise<unknown> | undefined;
  /** The job has let go of the product when this settles. */
  onHangUp(closed: Promise<void>): void;
}

/**
 * Commands and pairings over Bluetooth; one at a time per product, in the order they came. The outcome is
 * told as soon as it is known, while the link is still being closed. An abort ends what has not moved the product yet.
 */
export function createRadioCommander(deps: RadioCommanderDeps): ProductCommander & ProductPairer {
  const lastOfProduct = new Map<ProductDeviceId, Promise<unknown>>();

  function enqueue<Done extends CommandOutcome | PairingOutcome>(job: Job<Done>): Promise<Done | Failure> {
    const { device_id } = job.order;
    const before = lastOfProduct.get(device_id);
    let closed = Promise.resolve();
    const done = run(deps, job, { before, onHangUp: (closing) => (closed = closing) });
    // What gave up in the queue lets nobody past the one it waited for.
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
        obstacle: ({ pairing }) => (pairing === null ? 8 : null),
        address: () => deps.watch.knownAddress(command.device_id),
        use: (link, item) => exchanges(deps, { link, item, command, signal }),
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

const failed = (type: GatewayErrorType): Failure => ({ outcome: 'failed', type, authenticated: false });

async function run<Done extends CommandOutcome | PairingOutcome>(
  deps: RadioCommanderDeps,
  job: Job<Done>,
  turn: Turn,
): Promise<Done | Failure> {
  const { order, name, signal } = job;
  const startedMs = deps.clock.monotonic();
  const fields = { device_id: order.device_id, event_id: order.event_id, command: name };
  let outcome: Done | Failure;
  let reason: string | undefined;
  try {
    outcome = await attempt(deps, job, turn);
  } catch (error) {
    if (error instanceof RadioError) reason = error.message;
    else if (signal?.aborted) reason = 'the command was called off';
    else deps.logger.error({ ...fields, err: error }, 'command broke off');
    outcome = failed(error instanceof RadioError ? error.type : 3);
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

/** Begins to connect before it returns, when the product is free and was heard before. */
async function attempt<Done extends CommandOutcome | PairingOutcome>(
  deps: RadioCommanderDeps,
  job: Job<Done>,
  { before, onHangUp }: Turn,
): Promise<Done | Failure> {
  const { clock, watch, radio } = deps;
  const { order, channel, signal } = job;
  const { device_id } = order;
  const leftMs = () => order.deadline_mono_ms - clock.monotonic();
  if (before !== undefined) {
    const isFree = before.then(() => true);
    if (!(await inTime(deps, isFree, { timeoutMs: leftMs(), signal, late: false }))) return failed(10);
  }
  const item = watch.product(device_id);
  if (item === null) return failed(4);
  const obstacle = job.obstacle(item);
  if (obstacle !== null) return failed(obstacle);
  if (leftMs() <= 0) return failed(3);
  const address = job.address() ?? (await listenFor(deps, { device_id, leftMs: leftMs(), signal }));
  if (address === null) return failed(radio.state === 'on' ? 4 : 3);
  const link = await connect(deps, { address, channel, leftMs: leftMs(), signal });
  try {
    return await job.use(link, item);
  } finally {
    onHangUp(hangUp(deps, link));
  }
}

interface Limit {
  /** Until the command's deadline. */
  leftMs: number;
  signal: AbortSignal | undefined;
}

async function listenFor(
  { radio, watch }: RadioCommanderDeps,
  { device_id, leftMs, signal }: Limit & { device_id: ProductDeviceId },
): Promise<string | null> {
  if (radio.state === 'off') return null;
  const timeoutMs = Math.min(HEARD_WITHIN_MS, leftMs);
  return watch.address(device_id, signal === undefined ? { timeoutMs } : { timeoutMs, signal });
}

/** A radio serves one connect after the other, and counts its time from its turn on: this one is given up at the deadline all the same. */
async function connect(
  deps: RadioCommanderDeps,
  { address, channel, leftMs, signal }: Limit & { address: string; channel: LinkChannel },
): Promise<RadioLink> {
  signal?.throwIfAborted();
  const givenUp = new AbortController();
  const timeoutMs = Math.min(CONNECTED_WITHIN_MS, leftMs);
  const connecting = deps.radio.connect(address, { timeoutMs, signal: givenUp.signal, channel });
  try {
    const link = await inTime(deps, connecting, { timeoutMs: leftMs + DRIVER_GRACE_MS, signal, late: null });
    if (link !== null) return link;
    throw new RadioError(3, `The radio had no time for ${address} before the deadline of the command`);
  } catch (error) {
    givenUp.abort(error);
    // A link that is made all the same must not keep the product from others.
    connecting.then(
      (link) => hangUp(deps, link),
      () => {},
    );
    throw error;
  }
}

/** Never rejects. */
async function hangUp(deps: RadioCommanderDeps, link: RadioLink): Promise<void> {
  try {
    const closing = link.close().then(() => true);
    const isClosed = await inTime(deps, closing, { timeoutMs: CLOSED_WITHIN_MS, signal: undefined, late: false });
    if (!isClosed) deps.logger.error({}, `a link did not close within ${CLOSED_WITHIN_MS} ms`);
  } catch (error) {
    deps.logger.error({ err: error }, 'a link could not be closed');
  }
}

/** What the work brings, or `late` when it takes too long. Rejects as the work does, or with the signal's reason. */
function inTime<T, L>(
  { clock }: RadioCommanderDeps,
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

/** The command; and when the product has lost its clock, the time and the command once more. */
async function exchanges(
  deps: RadioCommanderDeps,
  job: { link: RadioLink; item: ProductItem; command: ProductCommand; signal: AbortSignal | undefined },
): Promise<CommandOutcome> {
  const { link, item, command, signal } = job;
  const exchange = async (protocolCommand: ProtocolCommand): Promise<ClientOutcome | null> => {
    const credential = credentialFor(protocolCommand, item, command);
    if (credential === null) return null;
    const outcome = await runExchange({
      link,
      exchange: {
        credential,
        command: protocolCommand,
        eventId: command.event_id,
        clientNonce: deps.randomBytes(CLIENT_NONCE_LENGTH),
      },
      crypto: deps.crypto,
      clock: deps.clock,
      deadlineMonoMs: command.deadline_mono_ms,
      signal,
      onProgress: (block) => deps.watch.takeStatus(command.device_id, block),
    });
    if (outcome.kind === 'answered') deps.watch.takeStatus(command.device_id, outcome.block);
    return outcome;
  };

  const answer = await exchange(command.command);
  const first = outcomeOf(answer);
  const nowMs = deps.knownTime();
  if (nowMs === null || !isClockToBlame(answer, nowMs)) return first;
  deps.logger.warn({ device_id: command.device_id }, "the product's clock is lost or wrong: setting it");
  const set = outcomeOf(await exchange({ name: 'set_time', timeS: Math.floor(nowMs / 1000) }));
  if (set.outcome === 'succeeded') return outcomeOf(await exchange(command.command));
  // Where only the link failed, another try or another gateway may do better: type 9 would end the command.
  return set.authenticated ? first : set;
}

/** null: it cannot be read. */
function credentialFor(
  protocolCommand: ProtocolCommand,
  item: ProductItem,
  { credentials }: ProductCommand,
): CredentialBytes | null {
  if (credentials !== undefined) {
    return protocolCommand.name === 'set_time' ? credentials.set_time : credentials.command;
  }
  return item.pairing === null ? null : decodeCredential(item.pairing[`token_${requiredOp(protocolCommand.name)}`]);
}

/** Without a time the product says so (9); with a wrong one it takes a token for over, or for not yet valid (1). */
function isClockToBlame(answer: ClientOutcome | null, nowMs: number): boolean {
  if (answer?.kind !== 'answered' || answer.block.result.kind !== 'error') return false;
  const { type } = answer.block.result;
  if (type === RTCC_NOT_SET) return true;
  return type === REFUSED_TOKEN && Math.abs(answer.challenge.rtcS * 1000 - nowMs) > CLOCK_OFF_MS;
}

function outcomeOf(answer: ClientOutcome | null): CommandOutcome {
  if (answer === null) return failed(1);
  if (answer.kind !== 'answered') return failed(answer.type);
  const { block } = answer;
  const { result } = block;
  return result.kind === 'error'
    ? { outcome: 'failed', type: result.type, authenticated: true, block }
    : { outcome: 'succeeded', block };
}

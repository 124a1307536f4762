import type { Clock } from '../../shared/clock.js';
import { GATEWAY_ERROR_MESSAGES, type GatewayErrorType } from '../../shared/errors.js';
import type { ProductItem } from '../../shared/gateway-config.js';
import type { ProductDeviceId } from '../../shared/ids.js';
import type { Logger } from '../../shared/logger.js';
import type { ClientOutcome } from '../../shared/product-protocol/client-machine.js';
import { type ProtocolCommand, requiredOp } from '../../shared/product-protocol/commands.js';
import { CLIENT_NONCE_LENGTH } from '../../shared/product-protocol/message-codec.js';
import type { ProtocolCrypto } from '../../shared/product-protocol/protocol-crypto.js';
import { type CredentialBytes, decodeCredential } from '../../shared/product-protocol/token-codec.js';
import { runExchange } from './exchange.js';
import type { CommandOutcome, ProductCommand, ProductCommander } from './product-commander.js';
import type { ProductWatch } from './product-watch.js';
import { type Radio, RadioError, type RadioLink } from './radio.js';

/** A product advertises every few hundred milliseconds: one that is not heard for so long is not there. */
const HEARD_WITHIN_MS = 5_000;
const CONNECTED_WITHIN_MS = 10_000;
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

/**
 * Commands over Bluetooth; one at a time per product, in the order they came. A command's outcome is told as soon as the product
 * has; its link is closed behind that, before the next one's turn.
 */
export function createRadioCommander(deps: RadioCommanderDeps): ProductCommander {
  const lastOfProduct = new Map<ProductDeviceId, Promise<unknown>>();

  return {
    execute(command, signal) {
      const before = lastOfProduct.get(command.device_id);
      const begin = () => runCommand(deps, command, signal);
      const run = before === undefined ? begin() : before.then(begin);
      const over = run.then(({ closed }) => closed);
      lastOfProduct.set(command.device_id, over);
      void over.then(() => {
        if (lastOfProduct.get(command.device_id) === over) lastOfProduct.delete(command.device_id);
      });
      return run.then(({ outcome }) => outcome);
    },
  };
}

/** An outcome, and when its link is gone; `closed` never rejects. */
interface Run {
  outcome: CommandOutcome;
  closed: Promise<void>;
}

const failed = (type: GatewayErrorType): CommandOutcome => ({ outcome: 'failed', type, authenticated: false });
const withoutLink = (outcome: CommandOutcome): Run => ({ outcome, closed: Promise.resolve() });

async function runCommand(deps: RadioCommanderDeps, command: ProductCommand, signal?: AbortSignal): Promise<Run> {
  const startedMs = deps.clock.monotonic();
  const fields = { device_id: command.device_id, event_id: command.event_id, command: command.command.name };
  let run: Run;
  try {
    run = await attempt(deps, command, signal);
  } catch (error) {
    if (!(error instanceof RadioError) && !signal?.aborted)
      deps.logger.error({ ...fields, err: error }, 'command broke off');
    run = withoutLink(failed(error instanceof RadioError ? error.type : 3));
  }
  const { outcome } = run;
  const took = { ...fields, took_ms: Math.round(deps.clock.monotonic() - startedMs) };
  if (outcome.outcome === 'succeeded') deps.logger.info(took, 'product did it');
  else deps.logger.warn({ ...took, type: outcome.type }, `product did not: ${GATEWAY_ERROR_MESSAGES[outcome.type]}`);
  return run;
}

async function attempt(deps: RadioCommanderDeps, command: ProductCommand, signal?: AbortSignal): Promise<Run> {
  const item = deps.watch.product(command.device_id);
  if (item === null) return withoutLink(failed(4));
  if (item.pairing === null) return withoutLink(failed(8));
  const leftMs = () => command.deadline_mono_ms - deps.clock.monotonic();
  const forRadio = (limitMs: number) => ({
    timeoutMs: Math.min(limitMs, leftMs()),
    ...(signal === undefined ? {} : { signal }),
  });
  if (leftMs() <= 0) return withoutLink(failed(3));
  const address = await deps.watch.address(command.device_id, forRadio(HEARD_WITHIN_MS));
  if (address === null) return withoutLink(failed(4));
  const link = await deps.radio.connect(address, forRadio(CONNECTED_WITHIN_MS));
  try {
    const outcome = await exchanges(deps, { link, item, command });
    return { outcome, closed: link.close() };
  } catch (error) {
    await link.close();
    throw error;
  }
}

/** The command; and when the product's clock is lost or wrong, the time and the command once more. */
async function exchanges(
  deps: RadioCommanderDeps,
  job: { link: RadioLink; item: ProductItem; command: ProductCommand },
): Promise<CommandOutcome> {
  const { link, item, command } = job;
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
  return set.outcome === 'succeeded' ? outcomeOf(await exchange(command.command)) : first;
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

import type { Clock } from '../../shared/clock.js';
import { GATEWAY_ERROR_MESSAGES, type GatewayErrorType } from '../../shared/errors.js';
import type { ProductItem } from '../../shared/gateway-config.js';
import type { ProductDeviceId } from '../../shared/ids.js';
import type { Logger } from '../../shared/logger.js';
import type { ClientOutcome } from '../../shared/product-protocol/client-machine.js';
import { type ProtocolCommand, requiredOp } from '../../shared/product-protocol/commands.js';
import { CLIENT_NONCE_LENGTH } from '../../shared/product-protocol/message-codec.js';
import type { ProtocolCrypto } from '../../shared/product-protocol/protocol-crypto.js';
import { decodeCredential } from '../../shared/product-protocol/token-codec.js';
import { runExchange } from './exchange.js';
import type { CommandOutcome, ProductCommand, ProductCommander } from './product-commander.js';
import type { ProductWatch } from './product-watch.js';
import { type Radio, RadioError, type RadioLink } from './radio.js';

/** A product advertises every few hundred milliseconds: one that is not heard for so long is not there. */
const HEARD_WITHIN_MS = 5_000;
const CONNECTED_WITHIN_MS = 10_000;
const RTCC_NOT_SET: GatewayErrorType = 9;

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

/** Commands over Bluetooth with the gateway's own credentials; one at a time per product, in the order they came. */
export function createRadioCommander(deps: RadioCommanderDeps): ProductCommander {
  const lastOfProduct = new Map<ProductDeviceId, Promise<unknown>>();

  return {
    execute(command, signal) {
      const before = lastOfProduct.get(command.device_id);
      const run =
        before === undefined ? runCommand(deps, command, signal) : before.then(() => runCommand(deps, command, signal));
      lastOfProduct.set(command.device_id, run);
      void run.then(() => {
        if (lastOfProduct.get(command.device_id) === run) lastOfProduct.delete(command.device_id);
      });
      return run;
    },
  };
}

const failed = (type: GatewayErrorType, authenticated = false): CommandOutcome => ({
  outcome: 'failed',
  type,
  authenticated,
});

async function runCommand(
  deps: RadioCommanderDeps,
  command: ProductCommand,
  signal?: AbortSignal,
): Promise<CommandOutcome> {
  const startedMs = deps.clock.monotonic();
  const fields = { device_id: command.device_id, event_id: command.event_id, operation: command.operation };
  let outcome: CommandOutcome;
  try {
    outcome = await attempt(deps, command, signal);
  } catch (error) {
    if (!(error instanceof RadioError) && !signal?.aborted)
      deps.logger.error({ ...fields, err: error }, 'command broke off');
    outcome = failed(error instanceof RadioError ? error.type : 3);
  }
  const took = { ...fields, took_ms: Math.round(deps.clock.monotonic() - startedMs) };
  if (outcome.outcome === 'succeeded') deps.logger.info(took, 'product did it');
  else deps.logger.warn({ ...took, type: outcome.type }, `product did not: ${GATEWAY_ERROR_MESSAGES[outcome.type]}`);
  return outcome;
}

async function attempt(
  deps: RadioCommanderDeps,
  command: ProductCommand,
  signal?: AbortSignal,
): Promise<CommandOutcome> {
  const item = deps.watch.product(command.device_id);
  if (item === null) return failed(4);
  if (item.pairing === null) return failed(8);
  const leftMs = () => command.deadline_mono_ms - deps.clock.monotonic();
  const forRadio = (limitMs: number) => ({
    timeoutMs: Math.min(limitMs, leftMs()),
    ...(signal === undefined ? {} : { signal }),
  });
  if (leftMs() <= 0) return failed(3);
  const address = await deps.watch.address(command.device_id, forRadio(HEARD_WITHIN_MS));
  if (address === null) return failed(4);
  const link = await deps.radio.connect(address, forRadio(CONNECTED_WITHIN_MS));
  try {
    return await exchanges(deps, { link, item, command });
  } finally {
    await link.close();
  }
}

/** The command; and when the product has lost its clock, the time and the command once more. */
async function exchanges(
  deps: RadioCommanderDeps,
  job: { link: RadioLink; item: ProductItem; command: ProductCommand },
): Promise<CommandOutcome> {
  const { link, item, command } = job;
  const exchange = async (protocolCommand: ProtocolCommand): Promise<ClientOutcome | null> => {
    const credential =
      item.pairing === null ? null : decodeCredential(item.pairing[`token_${requiredOp(protocolCommand.name)}`]);
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

  const first = outcomeOf(await exchange({ name: command.operation }));
  if (first.outcome === 'succeeded' || first.type !== RTCC_NOT_SET) return first;
  const nowMs = deps.knownTime();
  if (nowMs === null) return first;
  deps.logger.warn({ device_id: command.device_id }, 'the product has lost its clock: setting it');
  const set = outcomeOf(await exchange({ name: 'set_time', timeS: Math.floor(nowMs / 1000) }));
  return set.outcome === 'succeeded' ? outcomeOf(await exchange({ name: command.operation })) : first;
}

function outcomeOf(answer: ClientOutcome | null): CommandOutcome {
  if (answer === null) return failed(1);
  if (answer.kind !== 'answered') return failed(answer.type);
  const { result } = answer.block;
  return result.kind === 'error' ? failed(result.type, true) : { outcome: 'succeeded' };
}

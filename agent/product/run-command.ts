/** Runs one command over an open link with its credential, and sets the product's clock when a wrong clock is the reason of a refusal. */
import type { Clock } from '../../shared/clock.js';
import type { ProductItem } from '../../shared/gateway-config.js';
import { GATEWAY_ERROR } from '../../shared/gateway-error-types.js';
import type { Logger } from '../../shared/logger.js';
import type { ClientOutcome } from '../../shared/product-protocol/client-machine.js';
import { type ProtocolCommand, requiredOp } from '../../shared/product-protocol/commands.js';
import { CLIENT_NONCE_LENGTH } from '../../shared/product-protocol/message-codec.js';
import type { ProtocolCrypto } from '../../shared/product-protocol/protocol-crypto.js';
import { type CredentialBytes, decodeCredential } from '../../shared/product-protocol/token-codec.js';
import { runExchange } from './exchange.js';
import { type CommandOutcome, failedAttempt, type ProductCommand } from './product-commander.js';
import type { ProductWatch } from './product-watch.js';
import type { RadioLink } from './radio.js';

/** A product may refuse a token that is valid for seconds because its clock is off by more than this. */
const CLOCK_OFF_MS = 2_000;

export interface CommandRunDeps {
  watch: Pick<ProductWatch, 'applyStatus'>;
  crypto: ProtocolCrypto;
  clock: Clock;
  randomBytes(length: number): Uint8Array;
  /** Wall milliseconds; null while the gateway does not know the time, and then it sets no product's clock. */
  knownTime(): number | null;
  logger: Logger;
}

/** Sends the command. When the product has lost its clock, sends the time and then the command once more. */
export async function runCommand(
  deps: CommandRunDeps,
  job: { link: RadioLink; item: ProductItem; command: ProductCommand; signal: AbortSignal | undefined },
): Promise<CommandOutcome> {
  const { link, item, command, signal } = job;
  const send = async (protocolCommand: ProtocolCommand): Promise<ClientOutcome | null> => {
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
      onProgress: (block) => deps.watch.applyStatus(command.device_id, block),
    });
    if (outcome.kind === 'answered') deps.watch.applyStatus(command.device_id, outcome.block);
    return outcome;
  };

  const answer = await send(command.command);
  const first = outcomeOf(answer);
  const nowMs = deps.knownTime();
  if (nowMs === null || !isClockToBlame(answer, nowMs)) return first;
  deps.logger.warn({ device_id: command.device_id }, "the product's clock is lost or wrong: setting it");
  const set = outcomeOf(await send({ name: 'set_time', timeS: Math.floor(nowMs / 1000) }));
  if (set.outcome === 'succeeded') return outcomeOf(await send(command.command));
  // When only the link failed, another attempt or another gateway may succeed, whereas type 9 would end the command.
  return set.authenticated ? first : set;
}

/** Finds the credential for the command; null: it cannot be read. */
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

/** A product without a time says so (type 9); a product with a wrong time refuses a token as expired or not yet valid (type 1). */
function isClockToBlame(answer: ClientOutcome | null, nowMs: number): boolean {
  if (answer?.kind !== 'answered' || answer.block.result.kind !== 'error') return false;
  const { type } = answer.block.result;
  if (type === GATEWAY_ERROR.CLOCK_NOT_SET) return true;
  return type === GATEWAY_ERROR.INVALID_KEY && Math.abs(answer.challenge.rtcS * 1000 - nowMs) > CLOCK_OFF_MS;
}

function outcomeOf(answer: ClientOutcome | null): CommandOutcome {
  if (answer === null) return failedAttempt(GATEWAY_ERROR.INVALID_KEY);
  if (answer.kind !== 'answered') return failedAttempt(answer.type);
  const { block } = answer;
  const { result } = block;
  return result.kind === 'error'
    ? { outcome: 'failed', type: result.type, authenticated: true, block }
    : { outcome: 'succeeded', block };
}

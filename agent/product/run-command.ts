/** Runs one command over an open link with its credential, and sets the product's clock when a wrong clock is the reason of a refusal. */
import type { Clock } from '../../shared/clock.js';
import type { ProductItem } from '../../shared/gateway-config.js';
import { GATEWAY_ERROR } from '../../shared/gateway-error-types.js';
import type { Logger } from '../../shared/logger.js';
import { isClockRecord } from '../../shared/product-protocol/admin-record.js';
import { type ProtocolCommand, requiredOp } from '../../shared/product-protocol/commands.js';
import { CLIENT_NONCE_LENGTH } from '../../shared/product-protocol/message-codec.js';
import type { ProtocolCrypto } from '../../shared/product-protocol/protocol-crypto.js';
import { type CredentialBytes, decodeCredential } from '../../shared/product-protocol/token-codec.js';
import { type ExchangeOutcome, runExchange } from './exchange.js';
import { type CommandOutcome, failedAttempt, type ProductCommand } from './product-commander.js';
import type { ProductWatch } from './product-watch.js';
import type { RadioLink } from './radio.js';
import { isBeyondBudget, isClockToBlame, wrongClockOf } from './wrong-clock.js';

export interface CommandRunDeps {
  watch: Pick<ProductWatch, 'applyStatus' | 'noteClock' | 'noteKey'>;
  crypto: ProtocolCrypto;
  clock: Clock;
  randomBytes(length: number): Uint8Array;
  /** Wall milliseconds; null while the gateway does not know the time, and then it sets no product's clock. */
  knownTime(): number | null;
  logger: Logger;
}

export interface CommandJob {
  link: RadioLink;
  item: ProductItem;
  command: ProductCommand;
  signal: AbortSignal | undefined;
  /** Called each time the product says that it moves for this command. */
  onMoving(): void;
  /** Aborted when the link is given up while the product moves. */
  leave: AbortSignal;
}

/**
 * Sends the command. When the product has lost its clock, sends the time and then the command once more. A wrong clock that this cannot
 * correct is noted for the cloud.
 * @returns `left`: the link was given up while the product moved; the same command asks for its result
 */
export async function runCommand(deps: CommandRunDeps, job: CommandJob): Promise<CommandOutcome | 'left'> {
  const outcome = await runWithClock(deps, job);
  if (outcome !== 'left') noteKey(deps, job, outcome);
  return outcome;
}

async function runWithClock(deps: CommandRunDeps, job: CommandJob): Promise<CommandOutcome | 'left'> {
  const { command } = job.command;
  const answer = await send(deps, job, command);
  if (answer?.kind === 'left') return 'left';
  const first = outcomeOf(answer);
  const nowMs = deps.knownTime();
  if (nowMs === null || answer?.kind !== 'answered') return first;
  if (isClockCorrection(command) && first.outcome === 'succeeded') {
    // The next answer shows whether the record put the clock right.
    deps.watch.noteClock(job.command.device_id, null);
    return first;
  }
  if (isBeyondBudget(answer, nowMs)) {
    noteWrongClock(deps, job, { answer, nowMs });
    return first;
  }
  if (!isClockToBlame(answer, nowMs)) {
    if (first.outcome === 'succeeded') deps.watch.noteClock(job.command.device_id, null);
    return first;
  }
  return setClockAndRepeat(deps, job, { first, nowMs });
}

/** @param first the answer to the command, which the product refused because of its clock */
async function setClockAndRepeat(
  deps: CommandRunDeps,
  job: CommandJob,
  { first, nowMs }: { first: CommandOutcome; nowMs: number },
): Promise<CommandOutcome | 'left'> {
  const { device_id, event_id, command } = job.command;
  deps.logger.warn({ event_id, device_id }, "the product's clock is lost or wrong: setting it");
  const setAnswer = await send(deps, job, { name: 'set_time', timeS: Math.floor(nowMs / 1000) });
  if (setAnswer?.kind === 'left') return 'left';
  const set = outcomeOf(setAnswer);
  if (set.outcome !== 'succeeded') {
    if (set.authenticated) noteWrongClock(deps, job, { answer: setAnswer, nowMs });
    // When only the link failed, another attempt or another gateway may succeed, whereas type 9 would end the command.
    return set.authenticated ? first : set;
  }
  const again = await send(deps, job, command);
  if (again?.kind === 'left') return 'left';
  // The rest of the product's budget was too small.
  if (again?.kind === 'answered' && isClockToBlame(again, nowMs)) noteWrongClock(deps, job, { answer: again, nowMs });
  return outcomeOf(again);
}

/** A credential of the cloud ends within seconds: only a refusal of the gateway's own shows that the product has another key, or that it was revoked. */
function noteKey({ watch }: CommandRunDeps, { command }: CommandJob, outcome: CommandOutcome): void {
  if (command.credentials !== undefined) return;
  if (outcome.outcome === 'succeeded') watch.noteKey(command.device_id, false);
  else if (outcome.type === GATEWAY_ERROR.INVALID_KEY) watch.noteKey(command.device_id, true);
  else if (outcome.authenticated) watch.noteKey(command.device_id, false);
}

/** Runs one exchange. Resolves to null when the credential for it cannot be read. */
async function send(
  deps: CommandRunDeps,
  { link, item, command, signal, leave, onMoving }: CommandJob,
  protocolCommand: ProtocolCommand,
): Promise<ExchangeOutcome | null> {
  const credential = credentialFor(protocolCommand, item, command);
  if (credential === null) return null;
  const clientNonce = deps.randomBytes(CLIENT_NONCE_LENGTH);
  const outcome = await runExchange({
    link,
    exchange: { credential, command: protocolCommand, eventId: command.event_id, clientNonce },
    crypto: deps.crypto,
    clock: deps.clock,
    deadlineMonoMs: command.deadline_mono_ms,
    signal,
    leave,
    onProgress(block) {
      onMoving();
      deps.watch.applyStatus(command.device_id, block);
    },
  });
  if (outcome.kind === 'answered') deps.watch.applyStatus(command.device_id, outcome.block);
  return outcome;
}

/** Notes for the cloud that only it can correct the product's clock. */
function noteWrongClock(
  { watch, logger }: CommandRunDeps,
  { command: { device_id, event_id } }: CommandJob,
  { answer, nowMs }: { answer: ExchangeOutcome | null; nowMs: number },
): void {
  if (answer?.kind !== 'answered') return;
  const wrong = wrongClockOf(answer, nowMs);
  if (!watch.noteClock(device_id, wrong)) return;
  logger.warn(
    { event_id, device_id, off_s: wrong.offS },
    "the product's clock is wrong, and only the cloud can correct it",
  );
}

const isClockCorrection = (command: ProtocolCommand): boolean =>
  command.name === 'admin' && isClockRecord(command.record);

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

function outcomeOf(answer: Exclude<ExchangeOutcome, { kind: 'left' }> | null): CommandOutcome {
  if (answer === null) return failedAttempt(GATEWAY_ERROR.INVALID_KEY);
  if (answer.kind !== 'answered') return failedAttempt(answer.type);
  const { block } = answer;
  const { result } = block;
  return result.kind === 'error'
    ? { outcome: 'failed', type: result.type, authenticated: true, block }
    : { outcome: 'succeeded', block };
}

/** Runs commands: it asks gateways one after the other, limits their time, and applies their answers. */
import type { Clock } from '../../../shared/clock.js';
import { isGatewayErrorType } from '../../../shared/errors.js';
import { GATEWAY_ERROR } from '../../../shared/gateway-error-types.js';
import { eventIdSchema } from '../../../shared/ids.js';
import type { Logger } from '../../../shared/logger.js';
import type { ProtocolCrypto } from '../../../shared/product-protocol/protocol-crypto.js';
import type { CommandResultRecord } from '../../../shared/uplink.js';
import { type CloudStore, LOCKS, type Row, type Tx } from '../../kernel/store/entry.js';
import type { Secrets } from '../../kernel/secrets/entry.js';
import type { ConfigChanged } from '../../rest/entry.js';
import type { Broker } from '../broker/broker.js';
import { createPairings, type Pairings } from '../pairing/pairings.js';
import { findProduct } from '../product/product-queries.js';
import type { ProductReceptions } from '../product/product-receptions.js';
import { createAttemptMessenger } from './attempt-messenger.js';
import { type Candidates, createCandidates } from './candidates.js';
import type { CommandInput, GatewayAnswer } from './command-machine.js';
import type { CommandMeasurement } from './command-metrics.js';
import { findCommand, pruneCommands } from './command-queries.js';
import { advanceCommand, type StepDeps, type VehicleLetIn, type WrittenStep } from './command-steps.js';
import { PAIR } from './ordered-command.js';
import { createPairingOffers, type ReceivedOffer } from './pairing-offers.js';
import { createRunningCommands } from './running-commands.js';

/** How long a command can be looked up; its event_id is not used again before. */
const COMMANDS_KEPT_MS = 30 * 24 * 3_600_000;

export interface CommandDispatcherDeps {
  store: CloudStore;
  broker: Pick<Broker, 'publish'>;
  receptions: Pick<ProductReceptions, 'recent' | 'recentUnproven'>;
  secrets: Pick<Secrets, 'open' | 'seal'>;
  crypto: ProtocolCrypto;
  clock: Clock;
  logger: Logger;
  configChanged: ConfigChanged;
  vehicleLetIn: VehicleLetIn;
  /** GATEWAY_WAIT_MS: how long each gateway may take. */
  gatewayWaitMs: number;
  /** PRODUCT_MIN_RSSI: the weakest signal that counts as seen. */
  productMinRssi: number;
  measurement: CommandMeasurement;
}

/** A gateway's record of how its attempt ended. */
export interface ReceivedResult {
  gateway_id: number;
  record: CommandResultRecord;
  /** When the record was made: wall milliseconds, cloud time. */
  at_ms: number;
}

export interface CommandDispatcher extends Pick<Candidates, 'seeing' | 'seeingToPair'> {
  readonly pairings: Pick<Pairings, 'adoptSeen'>;
  /** Begins a command that was inserted in this transaction. Its first gateway is asked after the commit. */
  begin(tx: Tx, of: { command: Row<'commands'>; product: Row<'products'> }, how: BeginHow): Promise<void>;
  /**
   * Applies a gateway's result within the transaction that keeps its record; the next gateway is asked after the commit.
   * @returns false: that gateway never got such a command
   */
  applyResult(tx: Tx, result: ReceivedResult): Promise<boolean>;
  /**
   * Answers a product's offer within the transaction that keeps its record; the answer is sent after the commit.
   * @returns false: that gateway never got such a pairing
   */
  applyOffer(tx: Tx, received: ReceivedOffer): Promise<boolean>;
  /** Ends the attempts of a gateway that is gone. */
  gatewayOffline(gateway_id: number): void;
  /**
   * Limits the time of the attempts that run: those of a cloud that stopped, and of another process that died. Each keeps its deadline, and
   * ends once, even if several processes limit it.
   */
  resume(): Promise<void>;
  /** Forgets commands that ended long ago. */
  prune(): Promise<void>;
  close(): Promise<void>;
}

export interface BeginHow {
  input: Extract<CommandInput, { type: 'begin' | 'impossible' }>;
  /** The request that gave it, for the log. */
  requestId?: string | undefined;
  /** For a pairing: the secret of the product's label (16 bytes), which is kept in memory until the command ends, and never stored. */
  labelSecret?: Uint8Array;
}

export function createCommandDispatcher(deps: CommandDispatcherDeps): CommandDispatcher {
  const { store, clock, logger, gatewayWaitMs, measurement, vehicleLetIn } = deps;
  const { seeing, seeingToPair, candidatesOf } = createCandidates(deps);
  const messenger = createAttemptMessenger(deps);
  const pairings = createPairings(deps);
  const offers = createPairingOffers({ store, pairings, messenger, logger });
  const steps: StepDeps = { clock, waitMs: gatewayWaitMs, candidatesOf, vehicleLetIn, followStep };
  const running = createRunningCommands({ store, clock, logger, steps });

  function followStep(step: WrittenStep): void {
    const { event_id, ended_attempts, isEnded, begun } = step;
    reportStep({ logger, measurement }, step);
    for (const { gateway_id } of ended_attempts) running.unwatch({ event_id, gateway_id });
    if (isEnded) pairings.forget(event_id);
    if (begun === null) return;
    running.watch({ event_id, ...begun });
    messenger.ask(event_id, begun);
  }

  /** A gateway alone cannot claim a success: the product must have confirmed its new key. */
  async function pairingAnswerOf(tx: Tx, record: CommandResultRecord): Promise<GatewayAnswer> {
    const { event_id, confirmation } = record;
    const product = await findProduct(tx, record.product_id);
    const isPaired =
      product !== undefined &&
      confirmation !== undefined &&
      (await pairings.confirm(tx, { event_id, product, confirmation }));
    return isPaired ? { outcome: 'succeeded' } : failureOf(record, false);
  }

  return {
    seeing,
    seeingToPair,
    pairings,
    async begin(tx, { command, product }, { input, requestId, labelSecret }) {
      const event_id = eventIdSchema.parse(command.event_id);
      // This comes before the step's own effect, which asks a gateway or ends the command.
      tx.onCommit(() => {
        const { product_id, lot_id, operation } = command;
        const fields = { request_id: requestId, event_id, product_id, lot_id, command: operation };
        logger.info(fields, 'command accepted');
        if (labelSecret !== undefined) pairings.hold(event_id, labelSecret);
      });
      await advanceCommand(steps, tx, { stored: { command, attempts: [] }, product, input });
    },
    async applyResult(tx, { gateway_id, record, at_ms }) {
      await tx.lock(LOCKS.command(record.event_id));
      const stored = await findCommand(tx, record.event_id);
      if (stored?.command.product_id !== record.product_id) return false;
      if (!stored.attempts.some((attempt) => attempt.gateway_id === gateway_id)) return false;
      const isPairing = stored.command.operation === PAIR;
      const answer = isPairing ? await pairingAnswerOf(tx, record) : answerOf(record);
      const status = isPairing ? null : record.status;
      const answered = status === null ? null : { status, isDone: answer.outcome === 'succeeded', at_ms };
      await advanceCommand(steps, tx, { stored, input: { type: 'answer', gateway_id, answer }, answered });
      return true;
    },
    applyOffer: offers.apply,
    gatewayOffline: running.endAttemptsOf,
    resume: running.watchAll,
    async prune() {
      await store.change((tx) => pruneCommands(tx, clock.now() - COMMANDS_KEPT_MS));
    },
    async close() {
      offers.close();
      await running.close();
    },
  };
}

/** Logs and measures what has ended. */
function reportStep(
  { logger, measurement }: { logger: Logger; measurement: CommandMeasurement },
  { event_id, product_id, lot_id, ended, ended_attempts }: WrittenStep,
): void {
  for (const { gateway_id, outcome } of ended_attempts) {
    measurement.attemptEnded(outcome);
    logger.info({ event_id, product_id, lot_id, gateway_id, outcome }, "a gateway's try at a command ended");
  }
  if (ended === null) return;
  measurement.ended(ended);
  const { operation: command, end, took_ms } = ended;
  const gateway_error_type = end.status === 'failed' ? end.error : null;
  const fields = { event_id, product_id, lot_id, command, outcome: end.status, gateway_error_type, took_ms };
  logger.info(fields, 'command ended');
}

/** Only the product itself can report a success: a result that claims one without its authenticated status is an unknown error. */
function answerOf(record: CommandResultRecord): GatewayAnswer {
  const { outcome, authenticated, refused_late, status } = record;
  if (!refused_late && outcome === 'succeeded' && authenticated && status !== null) return { outcome };
  return failureOf(record, authenticated && outcome === 'failed');
}

function failureOf(record: CommandResultRecord, authenticated: boolean): GatewayAnswer {
  const { refused_late, gateway_error_type: type } = record;
  if (refused_late) return { outcome: 'late' };
  const known = type !== null && isGatewayErrorType(type) ? type : GATEWAY_ERROR.UNKNOWN;
  return { outcome: 'failed', type: known, authenticated };
}

/** Runs commands: asks gateways one after the other, counts their time, and takes what they answer. */
import { type BackoffLimits, backoffDelayMs } from '../../shared/backoff.js';
import { type Clock, sleep, type Timer } from '../../shared/clock.js';
import { isGatewayErrorType } from '../../shared/errors.js';
import {
  type EventId,
  eventIdSchema,
  type GatewayUuid,
  gatewayUuidSchema,
  productDeviceIdSchema,
} from '../../shared/ids.js';
import type { Logger } from '../../shared/logger.js';
import type { ProtocolCrypto } from '../../shared/product-protocol/protocol-crypto.js';
import type { CommandResultRecord, PairingMessage, PairingOfferRecord } from '../../shared/uplink.js';
import type { Broker } from '../broker/broker.js';
import type { ProductSightings } from '../product/product-sightings.js';
import type { Secrets } from '../secrets/secrets.js';
import type { CloudStore, Db } from '../store/cloud-store.js';
import { findCommand, pruneCommands, runningAttempts, type StoredCommand } from '../store/queries/commands.js';
import { findGatewayUuid, onlineGatewaysOfLot } from '../store/queries/gateways.js';
import { findProduct } from '../store/queries/products.js';
import type { Row } from '../store/schema.js';
import type { Candidate, CommandInput, GatewayAnswer } from './command-machine.js';
import { commandMessage } from './command-message.js';
import { PAIR } from './ordered-command.js';
import { createPairings, type Pairings } from './pairings.js';
import { type BegunAttempt, type StepDeps, type StepWork, type TakenStep, takeStep } from './command-steps.js';

/** How long commands can be asked for, and their event_ids are not given again. */
const COMMANDS_KEPT_MS = 30 * 24 * 3_600_000;
/** A database that is out of order is asked again, ever less often. */
const RETRY: BackoffLimits = { baseMs: 1_000, maxMs: 60_000 };

export interface CommandDispatcherDeps {
  store: CloudStore;
  broker: Pick<Broker, 'publish'>;
  sightings: Pick<ProductSightings, 'recent' | 'recentUnproven'>;
  secrets: Pick<Secrets, 'open' | 'seal'>;
  crypto: ProtocolCrypto;
  clock: Clock;
  logger: Logger;
  /** GATEWAY_WAIT_MS: how long each gateway may take. */
  gatewayWaitMs: number;
  /** PRODUCT_MIN_RSSI: the weakest signal that counts as seen. */
  productMinRssi: number;
}

/** A gateway's record of how its attempt went. */
export interface ReceivedResult {
  gateway_id: number;
  record: CommandResultRecord;
  /** When it was made: wall milliseconds, cloud time. */
  at_ms: number;
}

export interface CommandDispatcher {
  /** Gateways that see the product well enough, the strongest signal first. */
  seeing(product_id: number): Candidate[];
  /** The same for a pairing: also those that cannot tell whether it is the product, for it has no key that they know. */
  seeingToPair(product_id: number): Candidate[];
  readonly pairings: Pick<Pairings, 'hold' | 'adoptSeen'>;
  /**
   * The first step of a command that was inserted in this transaction.
   * @param how.isEmergency every gateway of the lot that is online may try, however faintly it hears the product
   */
  begin(work: StepWork, of: { command: Row<'commands'>; product: Row<'products'> }, how: BeginHow): Promise<TakenStep>;
  /** Takes a result within the transaction that keeps its record; null: that gateway was never given such a command. */
  takeResult(work: StepWork, result: ReceivedResult): Promise<TakenStep | null>;
  /** Answers a product's offer within the transaction that keeps its record; null: that gateway was never given such a pairing. */
  takeOffer(work: StepWork, received: { gateway_id: number; record: PairingOfferRecord }): Promise<TakenStep | null>;
  /** To be called once the transaction of a step is committed: asks the next gateway, and counts its time. */
  committed(step: TakenStep): void;
  /** Ends the attempts of a gateway that is gone. */
  gatewayOffline(gateway_id: number): void;
  /** Takes up what ran when the cloud stopped; each attempt keeps its time. */
  resume(): Promise<void>;
  /** Forgets commands that ended long ago. */
  prune(): Promise<void>;
  close(): Promise<void>;
}

export interface BeginHow {
  input: Extract<CommandInput, { type: 'begin' | 'impossible' }>;
  isEmergency: boolean;
}

interface RunningAttempt {
  event_id: EventId;
  gateway_id: number;
  timer: Timer;
}

export function createCommandDispatcher(deps: CommandDispatcherDeps): CommandDispatcher {
  const { store, clock, logger, gatewayWaitMs } = deps;
  const running = new Map<string, RunningAttempt>();
  const emergencies = new Set<EventId>();
  const settling = new Set<Promise<void>>();
  const closing = new AbortController();

  const pairings = createPairings(deps);

  const isHeardWell = ({ rssi }: Candidate) => rssi !== null && rssi >= deps.productMinRssi;
  const seeing = (product_id: number): Candidate[] => deps.sightings.recent(product_id).filter(isHeardWell);
  const seeingToPair = (product_id: number): Candidate[] =>
    deps.sightings.recentUnproven(product_id).filter(isHeardWell);

  async function candidatesOf(tx: Db, command: Row<'commands'>): Promise<Candidate[]> {
    const { product_id, lot_id, event_id, operation } = command;
    if (operation === PAIR) return seeingToPair(product_id);
    if (lot_id === null || !emergencies.has(event_id as EventId)) return seeing(product_id);
    const heard = deps.sightings.recent(product_id);
    const others = (await onlineGatewaysOfLot(tx, lot_id)).filter((id) =>
      heard.every((each) => each.gateway_id !== id),
    );
    return [...heard, ...others.map((gateway_id) => ({ gateway_id, rssi: null }))];
  }
  const stepDeps: StepDeps = { clock, waitMs: gatewayWaitMs, candidatesOf };

  const keyOf = (attempt: { event_id: string; gateway_id: number }) => `${attempt.event_id} ${attempt.gateway_id}`;

  function watch(attempt: { event_id: EventId; gateway_id: number; deadline_ms: number }): void {
    const { event_id, gateway_id } = attempt;
    const timer = clock.setTimer(Math.max(0, attempt.deadline_ms - clock.now()), () => {
      running.delete(keyOf(attempt));
      settle(event_id, { type: 'timeout', gateway_id });
    });
    running.set(keyOf(attempt), { event_id, gateway_id, timer });
  }

  function committed(step: TakenStep): void {
    const { event_id, ended_gateway_ids, begun } = step;
    for (const gateway_id of ended_gateway_ids) {
      running.get(keyOf({ event_id, gateway_id }))?.timer.cancel();
      running.delete(keyOf({ event_id, gateway_id }));
    }
    if (step.isEnded) {
      emergencies.delete(event_id);
      pairings.forget(event_id);
    }
    if (step.pairing_answer !== undefined) {
      const { gateway_uuid, answer } = step.pairing_answer;
      tellPairing(gateway_uuid, { step: 'answer', event_id, answer });
    }
    if (begun === null) return;
    watch({ event_id, ...begun });
    ask(event_id, begun);
  }

  function tellPairing(uuid: GatewayUuid, message: PairingMessage): void {
    const fields = { event_id: message.event_id, uuid, step: message.step };
    deps.broker.publish(uuid, 'pairing', JSON.stringify(message)).catch((error: unknown) => {
      logger.warn({ ...fields, err: error }, 'a step of a pairing could not be sent to a gateway');
    });
    logger.info(fields, 'step of a pairing sent');
  }

  /** Not waited for: a gateway that does not get it has its time all the same. */
  function ask(event_id: EventId, begun: BegunAttempt): void {
    const { gateway_uuid, product, command } = begun;
    if (gateway_uuid === null) return;
    if (command.name === PAIR) {
      const device_id = productDeviceIdSchema.parse(product.device_id);
      const { deadline_ms } = begun;
      tellPairing(gateway_uuid, { step: 'begin', event_id, product_id: product.id, device_id, deadline_ms });
      return;
    }
    if (product.master_key_sealed === null) return;
    const fields = { event_id, product_id: product.id, command: command.name, uuid: gateway_uuid };
    try {
      const message = commandMessage(deps.crypto, {
        event_id,
        product,
        masterKey: deps.secrets.open('product_master_key', product.master_key_sealed),
        command,
        deadlineMs: begun.deadline_ms,
        now: clock.now(),
      });
      deps.broker.publish(gateway_uuid, 'command', JSON.stringify(message)).catch((error: unknown) => {
        logger.warn({ ...fields, err: error }, 'a command could not be sent to a gateway');
      });
      logger.info(fields, 'command sent');
    } catch (error) {
      logger.error({ ...fields, err: error }, 'a command could not be worded');
    }
  }

  /** A gateway's word alone pairs nothing: the product must have confirmed its new key. */
  async function takePaired(
    work: StepWork,
    { stored, gateway_id, record }: { stored: StoredCommand; gateway_id: number; record: CommandResultRecord },
  ): Promise<TakenStep> {
    const { event_id, confirmation } = record;
    const product = await findProduct(work.tx, record.product_id);
    const isPaired =
      product !== undefined &&
      confirmation !== undefined &&
      (await pairings.confirm(work.tx, { event_id, product, confirmation }));
    const answer = isPaired ? ({ outcome: 'succeeded' } as const) : unpairedAnswerOf(record);
    const step = await takeStep(stepDeps, work, { stored, input: { type: 'answer', gateway_id, answer } });
    return { ...step, isPaired };
  }

  /** A command always ends: a database that does not take the step now is asked until it does. */
  function settle(event_id: EventId, input: CommandInput): void {
    const settled = (async () => {
      for (let failures = 0; !closing.signal.aborted; failures++) {
        try {
          const step = await store.change(async (tx, events) => {
            const stored = await findCommand(tx, event_id);
            return stored === null ? null : takeStep(stepDeps, { tx, events }, { stored, input });
          });
          if (step !== null) committed(step);
          return;
        } catch (error) {
          logger.error({ event_id, input: input.type, err: error }, 'a command could not go on; it is tried again');
          await sleep(clock, backoffDelayMs(RETRY, failures, 1), closing.signal).catch(() => {});
        }
      }
    })();
    settling.add(settled);
    void settled.finally(() => settling.delete(settled));
  }

  return {
    seeing,
    seeingToPair,
    pairings,
    begin(work, { command, product }, { input, isEmergency }) {
      if (isEmergency) emergencies.add(command.event_id as EventId);
      return takeStep(stepDeps, work, { stored: { command, attempts: [] }, product, input });
    },
    async takeResult(work, { gateway_id, record, at_ms }) {
      const stored = await findCommand(work.tx, record.event_id);
      if (stored?.command.product_id !== record.product_id) return null;
      if (!stored.attempts.some((attempt) => attempt.gateway_id === gateway_id)) return null;
      if (stored.command.operation === PAIR) return takePaired(work, { stored, gateway_id, record });
      const answer = answerOf(record);
      const { status } = record;
      const told = status === null ? null : { status, isDone: answer.outcome === 'succeeded', at_ms };
      return takeStep(stepDeps, work, { stored, input: { type: 'answer', gateway_id, answer }, told });
    },
    async takeOffer(work, { gateway_id, record }) {
      const { event_id, product_id } = record;
      const stored = await findCommand(work.tx, event_id);
      if (stored?.command.product_id !== product_id || stored.command.operation !== PAIR) return null;
      const attempt = stored.attempts.find((each) => each.gateway_id === gateway_id);
      if (attempt === undefined) return null;
      const isEnded = stored.command.status !== 'pending';
      const step: TakenStep = { event_id, isEnded, ended_gateway_ids: [], begun: null };
      const product = await findProduct(work.tx, product_id);
      const uuid = gatewayUuidSchema.safeParse(await findGatewayUuid(work.tx, gateway_id));
      if (isEnded || attempt.outcome !== null || product === undefined || !uuid.success) return step;
      const answer = await pairings.answer(work.tx, { event_id, product, offer: record.offer });
      return answer === null ? step : { ...step, pairing_answer: { gateway_uuid: uuid.data, answer } };
    },
    committed,
    gatewayOffline(gateway_id) {
      for (const attempt of running.values()) {
        if (attempt.gateway_id === gateway_id) settle(attempt.event_id, { type: 'offline', gateway_id });
      }
    },
    async resume() {
      for (const { event_id, gateway_id, started_at } of await runningAttempts(store.reader)) {
        watch({ event_id: eventIdSchema.parse(event_id), gateway_id, deadline_ms: started_at + gatewayWaitMs });
      }
    },
    async prune() {
      await store.change((tx) => pruneCommands(tx, clock.now() - COMMANDS_KEPT_MS));
    },
    async close() {
      closing.abort();
      for (const { timer } of running.values()) timer.cancel();
      running.clear();
      await Promise.all(settling);
    },
  };
}

/** Success is what the product said, nothing else: a claim without its word is an unknown error of the gateway. */
function answerOf(record: CommandResultRecord): GatewayAnswer {
  const { outcome, authenticated, gateway_error_type: type } = record;
  if (record.refused_late) return { outcome: 'late' };
  if (outcome === 'succeeded' && authenticated && record.status !== null) return { outcome };
  const known = type !== null && isGatewayErrorType(type) ? type : 11;
  return { outcome: 'failed', type: known, authenticated: authenticated && outcome === 'failed' };
}

function unpairedAnswerOf({ refused_late, gateway_error_type: type }: CommandResultRecord): GatewayAnswer {
  if (refused_late) return { outcome: 'late' };
  return { outcome: 'failed', type: type !== null && isGatewayErrorType(type) ? type : 11, authenticated: false };
}

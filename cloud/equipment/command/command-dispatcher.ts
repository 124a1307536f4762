/** Runs commands: it asks gateways one after the other, limits their time, and applies their answers. */
import { z } from 'zod';
import { type BackoffLimits, backoffDelayMs } from '../../../shared/backoff.js';
import { type Clock, sleep, type Timer } from '../../../shared/clock.js';
import { type EventId, eventIdSchema, gatewayUuidSchema } from '../../../shared/ids.js';
import type { ConfigChanged } from '../../rest/entry.js';
import type { Logger } from '../../../shared/logger.js';
import type { ProtocolCrypto } from '../../../shared/product-protocol/protocol-crypto.js';
import type { CommandResultRecord, PairingOfferRecord } from '../../../shared/uplink.js';
import type { Broker } from '../broker/broker.js';
import type { ProductReceptions } from '../product/product-receptions.js';
import { type CloudStore, type Db, LOCKS, type Row, type Secrets, type Tx } from '../../kernel/entry.js';
import {
  findCommand,
  gatewaysAtProduct,
  pruneCommands,
  runningAttemptCounts,
  runningAttempts,
  runningAttemptsOf,
  type StoredCommand,
} from './command-queries.js';
import { findGatewayUuid, onlineGatewaysOfLot } from '../gateway/gateway-queries.js';
import { findProduct } from '../product/product-queries.js';
import type { Candidate, CommandInput } from './command-machine.js';
import { type CommandMeasurement, UNMEASURED } from './command-metrics.js';
import { createAttemptMessenger } from './attempt-messenger.js';
import { orderForRelease } from './decide-release-order.js';
import { answerOf, unpairedAnswerOf } from './gateway-answer.js';
import { PAIR } from './ordered-command.js';
import { createPairings, type Pairings } from '../pairing/pairings.js';
import { advanceCommand, type StepDeps, type WrittenStep } from './command-steps.js';

/** How long a command can be looked up; its event_id is not used again before. */
const COMMANDS_KEPT_MS = 30 * 24 * 3_600_000;
/** What processes tell each other of: a product's offer. */
const OFFER = 'pairing_offer';
const offerSchema = z.object({
  gateway_id: z.number(),
  product_id: z.number(),
  event_id: eventIdSchema,
  offer: z.string(),
});
/** A database that fails is asked again, less and less often. */
const RETRY: BackoffLimits = { baseMs: 1_000, maxMs: 60_000 };

export interface CommandDispatcherDeps {
  store: CloudStore;
  broker: Pick<Broker, 'publish'>;
  receptions: Pick<ProductReceptions, 'recent' | 'recentUnproven'>;
  secrets: Pick<Secrets, 'open' | 'seal'>;
  crypto: ProtocolCrypto;
  clock: Clock;
  logger: Logger;
  configChanged: ConfigChanged;
  /** GATEWAY_WAIT_MS: how long each gateway may take. */
  gatewayWaitMs: number;
  /** PRODUCT_MIN_RSSI: the weakest signal that counts as seen. */
  productMinRssi: number;
  /** Left out: nothing is measured. */
  measurement?: CommandMeasurement;
}

/** A gateway's record of how its attempt ended. */
export interface ReceivedResult {
  gateway_id: number;
  record: CommandResultRecord;
  /** When the record was made: wall milliseconds, cloud time. */
  at_ms: number;
}

export interface CommandDispatcher {
  /** Lists the gateways that hear the product well enough, the strongest signal first. */
  seeing(db: Db, product_id: number): Promise<Candidate[]>;
  /** Lists them for a pairing. A gateway that cannot prove that it hears the product, because it has no key of it, counts too. */
  seeingToPair(db: Db, product_id: number): Promise<Candidate[]>;
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
  applyOffer(tx: Tx, received: { gateway_id: number; record: PairingOfferRecord }): Promise<boolean>;
  /** Ends the attempts of a gateway that is gone. */
  gatewayOffline(gateway_id: number): void;
  /**
   * Limits the time of the attempts that run: those of the cloud that stopped, and of another process that died. Each keeps its time, and
   * ends once, whoever else limits it.
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

interface RunningAttempt {
  event_id: EventId;
  gateway_id: number;
  timer: Timer;
}

export function createCommandDispatcher(deps: CommandDispatcherDeps): CommandDispatcher {
  const { store, clock, logger, gatewayWaitMs, measurement = UNMEASURED } = deps;
  const running = new Map<string, RunningAttempt>();
  const settling = new Set<Promise<void>>();
  const closing = new AbortController();

  const messenger = createAttemptMessenger(deps);
  const pairings = createPairings(deps);

  const isHeardWell = ({ rssi }: Candidate) => rssi !== null && rssi >= deps.productMinRssi;
  const seeing = async (db: Db, product_id: number): Promise<Candidate[]> =>
    (await deps.receptions.recent(db, product_id)).filter(isHeardWell);
  const seeingToPair = async (db: Db, product_id: number): Promise<Candidate[]> =>
    (await deps.receptions.recentUnproven(db, product_id)).filter(isHeardWell);

  async function candidatesOf(tx: Db, command: Row<'commands'>): Promise<Candidate[]> {
    const { product_id, lot_id, operation, is_emergency } = command;
    if (operation === PAIR) return seeingToPair(tx, product_id);
    if (lot_id === null || is_emergency === 0) return seeing(tx, product_id);
    const heard = await deps.receptions.recent(tx, product_id);
    const others = (await onlineGatewaysOfLot(tx, lot_id)).filter((id) =>
      heard.every((each) => each.gateway_id !== id),
    );
    const loads = await runningAttemptCounts(
      tx,
      heard.map(({ gateway_id }) => gateway_id),
    );
    return orderForRelease({
      heard,
      others: others.map((gateway_id) => ({ gateway_id, rssi: null })),
      running: loads,
      atProduct: await gatewaysAtProduct(tx, product_id),
      minRssi: deps.productMinRssi,
    });
  }
  const stepDeps: StepDeps = { clock, waitMs: gatewayWaitMs, candidatesOf, followStep };

  const keyOf = (attempt: { event_id: string; gateway_id: number }) => `${attempt.event_id} ${attempt.gateway_id}`;

  function watch(attempt: { event_id: EventId; gateway_id: number; deadline_ms: number }): void {
    const { event_id, gateway_id } = attempt;
    running.get(keyOf(attempt))?.timer.cancel();
    const timer = clock.setTimer(Math.max(0, attempt.deadline_ms - clock.now()), () => {
      running.delete(keyOf(attempt));
      settle(event_id, { type: 'timeout', gateway_id });
    });
    running.set(keyOf(attempt), { event_id, gateway_id, timer });
  }

  function followStep({ event_id, product_id, lot_id, isEnded, ended, ended_attempts, begun }: WrittenStep): void {
    for (const { gateway_id, outcome } of ended_attempts) {
      measurement.attemptEnded(outcome);
      logger.info({ event_id, product_id, lot_id, gateway_id, outcome }, "a gateway's try at a command ended");
      running.get(keyOf({ event_id, gateway_id }))?.timer.cancel();
      running.delete(keyOf({ event_id, gateway_id }));
    }
    if (isEnded) pairings.forget(event_id);
    if (ended !== null) {
      measurement.ended(ended);
      const { operation: command, end, took_ms } = ended;
      const gateway_error_type = end.status === 'failed' ? end.error : null;
      const fields = { event_id, product_id, lot_id, command, outcome: end.status, gateway_error_type, took_ms };
      logger.info(fields, 'command ended');
    }
    if (begun === null) return;
    watch({ event_id, ...begun });
    messenger.ask(event_id, begun);
  }

  /** A gateway alone cannot claim a success: the product must have confirmed its new key. */
  async function applyPairingResult(
    tx: Tx,
    { stored, gateway_id, record }: { stored: StoredCommand; gateway_id: number; record: CommandResultRecord },
  ): Promise<void> {
    const { event_id, confirmation } = record;
    const product = await findProduct(tx, record.product_id);
    const isPaired =
      product !== undefined &&
      confirmation !== undefined &&
      (await pairings.confirm(tx, { event_id, product, confirmation }));
    const answer = isPaired ? ({ outcome: 'succeeded' } as const) : unpairedAnswerOf(record);
    await advanceCommand(stepDeps, tx, { stored, input: { type: 'answer', gateway_id, answer } });
  }

  /** A command always ends: when the database does not accept the step, it is tried again until it does. */
  function settle(event_id: EventId, input: CommandInput): void {
    const settled = (async () => {
      for (let failures = 0; !closing.signal.aborted; failures++) {
        try {
          await store.change(async (tx) => {
            await tx.lock(LOCKS.command(event_id));
            const stored = await findCommand(tx, event_id);
            if (stored !== null) await advanceCommand(stepDeps, tx, { stored, input });
          });
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

  const dispatcher: CommandDispatcher = {
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
      await advanceCommand(stepDeps, tx, { stored: { command, attempts: [] }, product, input });
    },
    async applyResult(tx, { gateway_id, record, at_ms }) {
      await tx.lock(LOCKS.command(record.event_id));
      const stored = await findCommand(tx, record.event_id);
      if (stored?.command.product_id !== record.product_id) return false;
      if (!stored.attempts.some((attempt) => attempt.gateway_id === gateway_id)) return false;
      if (stored.command.operation === PAIR) {
        await applyPairingResult(tx, { stored, gateway_id, record });
        return true;
      }
      const answer = answerOf(record);
      const { status } = record;
      const answered = status === null ? null : { status, isDone: answer.outcome === 'succeeded', at_ms };
      await advanceCommand(stepDeps, tx, { stored, input: { type: 'answer', gateway_id, answer }, answered });
      return true;
    },
    async applyOffer(tx, { gateway_id, record }) {
      const { event_id, product_id } = record;
      await tx.lock(LOCKS.command(event_id));
      const stored = await findCommand(tx, event_id);
      if (stored?.command.product_id !== product_id || stored.command.operation !== PAIR) return false;
      const attempt = stored.attempts.find((each) => each.gateway_id === gateway_id);
      if (attempt === undefined) return false;
      const product = await findProduct(tx, product_id);
      const uuid = gatewayUuidSchema.safeParse(await findGatewayUuid(tx, gateway_id));
      const isOver = stored.command.status !== 'pending' || attempt.outcome !== null;
      if (isOver || product === undefined || !uuid.success) return true;
      const { offer } = record;
      if (!pairings.holds(event_id)) {
        tx.onCommit(() => store.peers?.tell(OFFER, { gateway_id, product_id, event_id, offer }));
        return true;
      }
      const answer = await pairings.answer(tx, { event_id, product, offer });
      if (answer !== null) tx.onCommit(() => messenger.answerOffer(uuid.data, { event_id, answer }));
      return true;
    },
    gatewayOffline(gateway_id) {
      const ended = (async () => {
        for (const { event_id } of await runningAttemptsOf(store.reader, gateway_id)) {
          settle(eventIdSchema.parse(event_id), { type: 'offline', gateway_id });
        }
      })().catch((error: unknown) => {
        logger.error({ gateway_id, err: error }, 'what a gateway that is gone was asked for ends by its time');
      });
      settling.add(ended);
      void ended.finally(() => settling.delete(ended));
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
      stopOffers?.();
      closing.abort();
      for (const { timer } of running.values()) timer.cancel();
      running.clear();
      await Promise.all(settling);
    },
  };

  /** The label's secret is in the memory of the process that was asked for the pairing; the offer comes to the one that hears the gateway. */
  const stopOffers = store.peers?.onTold(OFFER, (news) => {
    const told = offerSchema.safeParse(news);
    if (!told.success || !pairings.holds(told.data.event_id)) return;
    const { gateway_id, ...record } = told.data;
    store
      .change((tx) => dispatcher.applyOffer(tx, { gateway_id, record: { kind: 'pairing_offer', ...record } }))
      .catch((error: unknown) => {
        logger.error({ event_id: record.event_id, err: error }, "a product's offer could not be answered");
      });
  });
  return dispatcher;
}

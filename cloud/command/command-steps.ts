/**
 * One step of a command within a transaction: the machine decides, and attempts, end and event are written together. What it
 * asks of the world outside the database is returned, for after the commit.
 */
import type { Clock } from '../../shared/clock.js';
import type { GatewayErrorType } from '../../shared/errors.js';
import { type EventId, eventIdSchema, type GatewayUuid, gatewayUuidSchema } from '../../shared/ids.js';
import { productCommandSchema, type ProductStatus } from '../../shared/uplink.js';
import { decideAnsweredState } from '../product/decide-reported-state.js';
import { lotChangeEvent } from '../product/lot-change-payload.js';
import { recordReportPair, type SavedState, saveReportedState } from '../product/reported-state.js';
import type { Db, EventRecorder } from '../store/cloud-store.js';
import { insertAttempt, saveAttemptOutcome, saveCommandEnd, type StoredCommand } from '../store/queries/commands.js';
import { findGatewayUuid } from '../store/queries/gateways.js';
import { findProduct, productViewOf } from '../store/queries/products.js';
import type { Row } from '../store/schema.js';
import {
  type Candidate,
  type CommandEffect,
  type CommandEnd,
  type CommandInput,
  latestStartMs,
  NEW_COMMAND,
  nextCommand,
  storedCommand,
} from './command-machine.js';
import { gatewayErrorEvent } from './gateway-error-payload.js';
import { type OrderedCommand, orderedCommandSchema, PAIR } from './ordered-command.js';

export interface StepDeps {
  clock: Clock;
  /** GATEWAY_WAIT_MS */
  waitMs: number;
  /** Gateways that may try the command now, the best first. */
  candidatesOf(tx: Db, command: Row<'commands'>): Promise<Candidate[]>;
}

/** A gateway is to be asked. */
export interface BegunAttempt {
  gateway_id: number;
  /** null: it is gone; the attempt ends by its time. */
  gateway_uuid: GatewayUuid | null;
  command: OrderedCommand;
  product: Row<'products'>;
  /** Wall milliseconds. */
  deadline_ms: number;
}

/** What is to be done once the transaction is committed. */
export interface TakenStep {
  event_id: EventId;
  isEnded: boolean;
  /** Gateways whose attempt is over. */
  ended_gateway_ids: number[];
  begun: BegunAttempt | null;
  /** The answer to a product's offer, for the gateway that brought it. */
  pairing_answer?: { gateway_uuid: GatewayUuid; answer: string };
  /** The product has a new master key. */
  isPaired?: boolean;
}

/** What the product said of itself, and when. */
export interface ToldStatus {
  status: ProductStatus;
  /** It did what it was asked. */
  isDone: boolean;
  /** Wall milliseconds. */
  at_ms: number;
}

export interface StepWork {
  tx: Db;
  events: EventRecorder;
}

/**
 * @param step.stored the command as it is in this transaction
 * @param step.product its product, where it is known already
 * @param step.told the product's authenticated word in an `answer`
 */
export async function takeStep(
  deps: StepDeps,
  { tx, events }: StepWork,
  step: { stored: StoredCommand; input: CommandInput; product?: Row<'products'>; told?: ToldStatus | null },
): Promise<TakenStep> {
  const { stored, input, told = null } = step;
  const { command } = stored;
  const event_id = eventIdSchema.parse(command.event_id);
  const now = deps.clock.now();
  const product = step.product ?? (await findProduct(tx, command.product_id));
  const isNew = input.type === 'begin' || input.type === 'impossible';
  const state = isNew ? NEW_COMMAND : storedCommand({ end: endOf(command), attempts: stored.attempts });
  const candidates = isWorthTrying(deps, stored, now, product) ? await deps.candidatesOf(tx, command) : [];
  const { state: next, effects } = nextCommand(state, input, candidates);

  const taken: TakenStep = { event_id, isEnded: next.kind === 'ended', ended_gateway_ids: [], begun: null };
  for (const effect of effects) {
    switch (effect.type) {
      case 'endAttempt':
        await saveAttemptOutcome(tx, {
          event_id,
          gateway_id: effect.gateway_id,
          outcome: effect.outcome,
          ended_at: now,
        });
        taken.ended_gateway_ids.push(effect.gateway_id);
        break;
      case 'startAttempt':
        taken.begun = await beginAttempt(deps, tx, { command, product, effect, now });
        break;
      case 'end':
        await endCommand({ tx, events }, { command, product, end: effect.end, told, now });
        break;
      case 'tellLate':
        await tellLate({ tx, events }, { command, product, told, now });
    }
  }
  return taken;
}

/** Nobody is asked to do what is late, or cannot be done any more. */
function isWorthTrying(
  { waitMs }: StepDeps,
  { command, attempts }: StoredCommand,
  now: number,
  product: Row<'products'> | undefined,
): boolean {
  if (product === undefined) return false;
  if (product.master_key_sealed === null && command.operation !== PAIR) return false;
  return now <= latestStartMs({ created_at: command.created_at, attempts: attempts.length, waitMs });
}

async function beginAttempt(
  { waitMs }: StepDeps,
  tx: Db,
  attempt: {
    command: Row<'commands'>;
    product: Row<'products'> | undefined;
    effect: Extract<CommandEffect, { type: 'startAttempt' }>;
    now: number;
  },
): Promise<BegunAttempt> {
  const { command, product, effect, now } = attempt;
  const { gateway_id, rssi } = effect.candidate;
  if (product === undefined) throw new Error(`product ${command.product_id} of command ${command.event_id} is gone`);
  await insertAttempt(tx, { event_id: command.event_id, gateway_id, rssi, started_at: now });
  const uuid = gatewayUuidSchema.safeParse(await findGatewayUuid(tx, gateway_id));
  return {
    gateway_id,
    gateway_uuid: uuid.success ? uuid.data : null,
    command: orderedCommandSchema.parse(JSON.parse(command.command)),
    product,
    deadline_ms: now + waitMs,
  };
}

interface Ending {
  command: Row<'commands'>;
  /** undefined: it was removed meanwhile; nobody is told. */
  product: Row<'products'> | undefined;
  told: ToldStatus | null;
  now: number;
}

/** End, product and event: all or nothing. */
async function endCommand(work: StepWork, ending: Ending & { end: CommandEnd }): Promise<void> {
  const { command, product, end, told, now } = ending;
  const { event_id } = command;
  await saveCommandEnd(work.tx, {
    event_id,
    status: end.status,
    gateway_error_type: end.status === 'failed' ? String(end.error) : null,
    ended_at: now,
  });
  if (product === undefined) return;
  const { account_id, lot_id } = product;
  if (end.status === 'failed') {
    const payload = gatewayErrorEvent({ event_id, product, error: end.error });
    await work.events.record({ account_id, lot_id, event: 'gateway_error', payload });
    return;
  }
  if (command.operation === PAIR) {
    const payload = lotChangeEvent(await productViewOf(work.tx, product), event_id);
    await work.events.record({ account_id, lot_id, event: 'lot_change', payload });
    return;
  }
  if (told === null) throw new Error(`command ${event_id} succeeded without the product's word`);
  const saved = await saveTold(work.tx, { command, product, told, now });
  await work.events.record({ account_id, lot_id, event: 'lot_change', payload: lotChangeEvent(saved.view, event_id) });
}

/** As a gateway's report would, unless a newer one has told more. */
async function tellLate(work: StepWork, { command, product, told, now }: Ending): Promise<void> {
  if (product === undefined || told === null || told.at_ms < (product.seen_at ?? 0)) return;
  await recordReportPair(work.events, await saveTold(work.tx, { command, product, told, now }));
}

async function saveTold(
  tx: Db,
  word: { command: Row<'commands'>; product: Row<'products'>; told: ToldStatus; now: number },
): Promise<SavedState> {
  const { command, product, told, now } = word;
  const asked = productCommandSchema.parse(JSON.parse(command.command));
  const setting = told.isDone && asked.name === 'autoclose' ? asked.on : undefined;
  const view = await productViewOf(tx, product);
  return saveReportedState(tx, { view, decided: decideAnsweredState(view, told.status, setting), now });
}

/** null: it has not ended. */
function endOf({ status, gateway_error_type }: Row<'commands'>): CommandEnd | null {
  if (status === 'pending') return null;
  if (status === 'succeeded') return { status };
  return {
    status,
    error: gateway_error_type === 'Timeout' ? 'Timeout' : (Number(gateway_error_type) as GatewayErrorType),
  };
}

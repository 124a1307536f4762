/**
 * Carries out one step of a command within a transaction: the machine decides, and attempts, end and event are written together. What
 * happens outside the database follows the commit.
 */
import { decodeJson } from '../../../shared/json-text-codec.js';
import type { Clock } from '../../../shared/clock.js';
import { isGatewayErrorType } from '../../../shared/errors.js';
import { type EventId, eventIdSchema, type GatewayUuid, gatewayUuidSchema } from '../../../shared/ids.js';
import { isClosing } from '../../../shared/product-protocol/commands.js';
import type { ProductStatus } from '../../../shared/uplink.js';
import { journalAnswer, journalReportPair, type SavedState, saveAnsweredState } from '../product/reported-state.js';
import { type Db, LOCKS, type Row, type Tx } from '../../kernel/store/entry.js';
import { insertAttempt, saveAttemptOutcome, saveCommandEnd, type StoredCommand } from './command-queries.js';
import { insertOpenings, saveLateOpening } from '../opening/opening-queries.js';
import { findGatewayUuid } from '../gateway/gateway-queries.js';
import { findLotRelease } from '../../site/entry.js';
import { findProduct, productViewOf } from '../product/product-queries.js';
import {
  type AttemptOutcome,
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
import { type OrderedCommand, PAIR } from './ordered-command.js';

export interface StepDeps {
  clock: Clock;
  /** GATEWAY_WAIT_MS */
  waitMs: number;
  /** Gateways that may try the command now, the best first. */
  candidatesOf(tx: Db, command: Row<'commands'>): Promise<Candidate[]>;
  /** Called within the transaction for each vehicle that a command has let through. */
  vehicleLetIn: VehicleLetIn;
  /** Called when the step is committed: asks the next gateway, counts its time, and forgets what has ended. */
  followStep(step: WrittenStep): void;
}

/** Notes, within the transaction, that a command has let a vehicle through. @param letIn.at wall milliseconds */
export type VehicleLetIn = (
  tx: Tx,
  letIn: { vehicle: { plate_reading_id: number } | { plate_sighting_id: number }; by: string; at: number },
) => Promise<void>;

/** An attempt for which a gateway has to be asked. */
export interface BegunAttempt {
  gateway_id: number;
  /** null: the gateway is gone; the attempt ends by its time. */
  gateway_uuid: GatewayUuid | null;
  command: OrderedCommand;
  product: Row<'products'>;
  /** Wall milliseconds. */
  deadline_ms: number;
  /** Whether there are gateways to hand over to. */
  has_others: boolean;
}

/** A command that has come to its end. */
export interface EndedCommand {
  operation: string;
  end: CommandEnd;
  /** From when it was given. */
  took_ms: number;
}

/** The changes of a step to its command. */
export interface WrittenStep {
  event_id: EventId;
  product_id: number;
  lot_id: number | null;
  isEnded: boolean;
  /** The end, if it came with this step. */
  ended: EndedCommand | null;
  /** Attempts that are over, by gateway. */
  ended_attempts: { gateway_id: number; outcome: AttemptOutcome }[];
  begun: BegunAttempt | null;
}

/** The product's own status, and its time. */
export interface AnsweredStatus {
  status: ProductStatus;
  /** Whether the product did what it was asked. */
  isDone: boolean;
  /** Wall milliseconds. */
  at_ms: number;
}

/**
 * Carries out what follows from the input, and writes it.
 * @param step.stored the command as it is in this transaction
 * @param step.product its product, if it is already loaded
 * @param step.answered the product's authenticated status in an `answer`
 */
export async function advanceCommand(
  deps: StepDeps,
  tx: Tx,
  step: { stored: StoredCommand; input: CommandInput; product?: Row<'products'>; answered?: AnsweredStatus | null },
): Promise<void> {
  const { stored, input, answered = null } = step;
  const { command } = stored;
  const event_id = eventIdSchema.parse(command.event_id);
  const now = deps.clock.now();
  if (answered !== null) await tx.lock(LOCKS.productState(command.product_id));
  const product = step.product ?? (await findProduct(tx, command.product_id));
  const isNew = input.type === 'begin' || input.type === 'impossible';
  const state = isNew ? NEW_COMMAND : storedCommand({ end: endOf(command), attempts: stored.attempts });
  const mayTry = isWorthTrying(deps, stored, now, product) && !(await isOvertaken(tx, command));
  const candidates = mayTry ? await deps.candidatesOf(tx, command) : [];
  const { state: next, effects } = nextCommand(state, input, candidates);

  const written: WrittenStep = {
    event_id,
    product_id: command.product_id,
    lot_id: command.lot_id,
    isEnded: next.kind === 'ended',
    ended: null,
    ended_attempts: [],
    begun: null,
  };
  for (const effect of effects) {
    switch (effect.type) {
      case 'endAttempt':
        await saveAttemptOutcome(tx, {
          event_id,
          gateway_id: effect.gateway_id,
          outcome: effect.outcome,
          ended_at: now,
        });
        written.ended_attempts.push({ gateway_id: effect.gateway_id, outcome: effect.outcome });
        break;
      case 'startAttempt':
        written.begun = await beginAttempt(deps, tx, { command, product, effect, now });
        break;
      case 'end':
        written.ended = { operation: command.operation, end: effect.end, took_ms: now - command.created_at };
        await endCommand(tx, { command, product, end: effect.end, answered, now });
        await noteOpening(tx, { command, end: effect.end, gateway_id: gatewayOf(input), now });
        if (effect.end.status === 'succeeded') await noteLetIn(deps, tx, command, now);
        break;
      case 'journalLate':
        await journalLate(tx, { command, product, answered, now });
        if (answered?.isDone !== true) break;
        await noteLetIn(deps, tx, command, now);
        await saveLateOpening(tx, { command, gateway_id: gatewayOf(input) ?? 0, now });
    }
  }
  tx.onCommit(() => deps.followStep(written));
}

/**
 * Notes that the vehicle of a command was let through. That is so when its product has opened, also when it said so after the command's time:
 * while a command runs, or when it failed, the vehicle stands there as before, and waits for whoever tries next.
 */
async function noteLetIn(
  { vehicleLetIn }: StepDeps,
  tx: Tx,
  { plate_reading_id, plate_sighting_id, given_by: by }: Row<'commands'>,
  at: number,
): Promise<void> {
  if (by === null) return;
  if (plate_reading_id !== null) await vehicleLetIn(tx, { vehicle: { plate_reading_id }, by, at });
  if (plate_sighting_id !== null) await vehicleLetIn(tx, { vehicle: { plate_sighting_id }, by, at });
}

const gatewayOf = (input: CommandInput): number | null => ('gateway_id' in input ? input.gateway_id : null);

/** Keeps what a product was asked to do. A pairing and a setting of auto-close move nothing. */
async function noteOpening(
  tx: Tx,
  ended: { command: Row<'commands'>; end: CommandEnd; gateway_id: number | null; now: number },
): Promise<void> {
  const { command, end, gateway_id, now } = ended;
  const { name: operation } = decodeJson(command.command);
  if (operation === PAIR || operation === 'autoclose') return;
  const { event_id, account_id, lot_id, product_id, cause, given_by, plate_reading_id, plate_sighting_id } = command;
  const named = { account_id, lot_id, product_id, event_id, plate_reading_id, plate_sighting_id };
  const error_type = end.status === 'failed' ? `${end.error}` : null;
  const opening = { ...named, operation, cause, given_by, outcome: end.status, error_type, gateway_id, at: now };
  await insertOpenings(tx, [opening], now);
}

/** Whether an attempt still makes sense: the command is not too late, and can still be done. */
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

/** Whether it would close what was opened in an emergency since it was given: no gateway is asked any more. */
async function isOvertaken(tx: Tx, { lot_id, command, created_at }: Row<'commands'>): Promise<boolean> {
  if (!isClosing(decodeJson(command).name)) return false;
  const { released_at, release_ordered_at } = await findLotRelease(tx, lot_id);
  return released_at !== null && created_at < (release_ordered_at ?? released_at);
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
    command: decodeJson(command.command),
    product,
    deadline_ms: now + waitMs,
    has_others: effect.hasOthers,
  };
}

interface Ending {
  command: Row<'commands'>;
  /** undefined: the product was removed meanwhile, so there is no event. */
  product: Row<'products'> | undefined;
  answered: AnsweredStatus | null;
  now: number;
}

/** Writes the end, the product's state and the event together. */
async function endCommand(tx: Tx, ending: Ending & { end: CommandEnd }): Promise<void> {
  const { command, product, end, answered, now } = ending;
  const { event_id } = command;
  await saveCommandEnd(tx, {
    event_id,
    status: end.status,
    gateway_error_type: end.status === 'failed' ? `${end.error}` : null,
    ended_at: now,
  });
  if (product === undefined) return;
  if (end.status === 'failed') {
    const { account_id, lot_id } = product;
    const payload = gatewayErrorEvent({ event_id, product, error: end.error });
    tx.journal({ account_id, lot_id, event: 'gateway_error', payload });
    return;
  }
  if (command.operation === PAIR) {
    journalAnswer(tx, await productViewOf(tx, product), event_id);
    return;
  }
  if (answered === null) throw new Error(`command ${event_id} succeeded without the product's word`);
  const saved = await saveAnswered(tx, { command, product, answered, now });
  journalAnswer(tx, saved.view, event_id);
}

/** Applies the status of a late answer like a gateway's report, unless a newer report has come. */
async function journalLate(tx: Tx, { command, product, answered, now }: Ending): Promise<void> {
  if (product === undefined || answered === null || answered.at_ms < (product.seen_at ?? 0)) return;
  journalReportPair(tx, await saveAnswered(tx, { command, product, answered, now }));
}

async function saveAnswered(
  tx: Db,
  word: { command: Row<'commands'>; product: Row<'products'>; answered: AnsweredStatus; now: number },
): Promise<SavedState> {
  const { command, product, answered, now } = word;
  const asked = decodeJson(command.command);
  const autoclose = answered.isDone && asked.name === 'autoclose' ? asked.on : undefined;
  return saveAnsweredState(tx, { product, status: answered.status, autoclose, now });
}

/** Reads how a command ended; null: it has not ended. */
function endOf({ status, gateway_error_type }: Row<'commands'>): CommandEnd | null {
  if (status === 'pending') return null;
  if (status === 'succeeded') return { status };
  const type = Number(gateway_error_type);
  return { status, error: gateway_error_type !== 'Timeout' && isGatewayErrorType(type) ? type : 'Timeout' };
}

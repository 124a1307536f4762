/** Gives commands, each after its checks (REST contract, "Checks"). */
import { encodeJson } from '../../../shared/json-text-codec.js';
import type { Clock } from '../../../shared/clock.js';
import {
  ApiError,
  NO_REMOTE_CONTROL,
  NOT_FOUND,
  NOT_SEEN_RECENTLY,
  OPERATION_UNFINISHED,
  VALIDATION,
} from '../../../shared/errors.js';
import { type EventId, eventIdSchema } from '../../../shared/ids.js';
import { isClosing } from '../../../shared/product-protocol/commands.js';
import type { ProductOperation } from '../../../shared/uplink-orders.js';
import type { Caller } from '../../kernel/auth/entry.js';
import { type Change, LOCKS, type Row, type Tx } from '../../kernel/store/entry.js';
import { noteAudit } from '../../kernel/audit/entry.js';
import { findLotRelease, nameOfCaller, saveReleaseOrder } from '../../site/entry.js';
import { insertCommand, pendingCommandsOf } from './command-queries.js';
import { findCommandTarget, productsOfLot } from '../product/product-queries.js';
import type { CommandDispatcher } from './command-dispatcher.js';
import {
  type CommandDecision,
  type CommandProduct,
  decideOperation,
  decideSettings,
  type ProductSettings,
} from './decide-command.js';
import { type OrderedCommand, PAIR } from './ordered-command.js';
import { type AnsweredVehicle, type Given, givenColumns, type Giver } from './command-giver.js';
import { requireCommandLeft } from './command-rate.js';

export type { AnsweredVehicle } from './command-giver.js';
export type { ProductSettings } from './decide-command.js';

/** The operation that a request asks of a product. */
export interface AskedOperation extends DuringRelease, AnsweredVehicle, Giver {
  operation: ProductOperation;
}

/** A command that closes needs it while the lot is released: nobody ends an emergency by accident. */
export interface DuringRelease {
  during_release?: true | undefined;
}

/**
 * @param change makes the change that accepts it: that of the request
 * @param requestId the request that gives it, for the log
 */
export interface Commands {
  /**
   * Accepts an operation, or throws an ApiError, in this order: 23 on `operation` (nothing to clear), 23 on `during_release`, 214 (an earlier command has not
   * ended), 704 (no gateway sees the product), 30 (the subscription), 429 (too many in a minute). No gateway sees a product that is not
   * paired. Resolves when the first gateway was asked.
   * @param onAccepted does its work in the transaction that accepts the command
   */
  operate(
    change: Change,
    of: CommandProduct,
    asked: AskedOperation,
    requestId?: string,
    onAccepted?: (tx: Tx, event_id: EventId) => Promise<void>,
  ): Promise<EventId>;
  /** Accepts settings, which must be those of the product's kind; throws as `operate` does. */
  changeSettings(
    change: Change,
    of: CommandProduct,
    settings: ProductSettings & DuringRelease & Giver,
    requestId?: string,
  ): Promise<EventId>;
  /** Pairs a product over the air with the secret of its label (16 bytes). Throws as `operate` does, except for the missing key. */
  pair(change: Change, product: { id: number }, labelSecret: Uint8Array, requestId?: string): Promise<EventId>;
  /**
   * Opens every product of a lot in an emergency. People may be shut in, so nothing is checked beforehand: it does not wait for earlier
   * commands, needs no subscription, counts as no request, and asks every gateway of the lot that is online, also those that hear a
   * product faintly or not at all. With `hold` the lot is released until `clearRelease`. The command of a product that cannot be reached ends
   * with a gateway_error, as any command does.
   */
  releaseLot(
    change: Change,
    lot: { lot_id: number; hold: boolean; by: Caller },
    requestId?: string,
  ): Promise<EventId[]>;
  /** Ends the release for the products that are held open, or are being opened to be held. */
  clearRelease(change: Change, lot: { lot_id: number; by: Caller }, requestId?: string): Promise<EventId[]>;
}

export interface CommandsDeps {
  dispatcher: CommandDispatcher;
  clock: Clock;
  /** 8 random hex digits. */
  generateEventId: () => EventId;
  /** RATE_COMMANDS_PER_MIN, per product. Commands that open are never limited, because a driver is waiting. */
  ratePerMin: number;
  /** PRODUCT_SEEN_WITHIN_MS: how long a reported state counts as known. */
  seenWithinMs: number;
}

interface CommandOrder extends Giver {
  /** An operation of the state call, `settings`, or `pair`. */
  operation: string;
  command: OrderedCommand;
  /** The label secret of a pairing; never stored. */
  labelSecret?: Uint8Array;
  requestId: string | undefined;
  duringRelease?: boolean;
  /** For whom it opens. */
  answers?: AnsweredVehicle;
  onAccepted?: ((tx: Tx, event_id: EventId) => Promise<void>) | undefined;
}

/** So many attempts find a free event_id with every real number of commands. */
const EVENT_ID_TRIES_MAX = 20;
const NOT_INITIALISED = 8;

export function createCommands(deps: CommandsDeps): Commands {
  const { clock } = deps;
  const known = () => ({ now: clock.now(), withinMs: deps.seenWithinMs });

  async function saveOrder(tx: Tx, order: { lot_id: number; released_by: string | null }): Promise<void> {
    const now = clock.now();
    await saveReleaseOrder(tx, { ...order, from: 'cloud', at: now, now });
  }

  async function submit(
    change: Change,
    { product }: CommandProduct,
    order: Omit<CommandOrder, 'command'>,
    decision: CommandDecision,
  ): Promise<EventId> {
    if ('problem' in decision) throw ApiError.validation([decision.problem]);
    return change((tx) => accept(deps, tx, product.id, { ...order, command: decision.command }));
  }

  return {
    operate: (change, of, { operation, during_release, by, link, ...vehicle }, requestId, onAccepted) => {
      const answers = by !== undefined && isOpening(operation) ? vehicle : {};
      const giver = { ...(by === undefined ? {} : { by }), ...(link === undefined ? {} : { link }) };
      const order = { operation, requestId, onAccepted, answers, ...giver, duringRelease: during_release === true };
      return submit(change, of, order, decideOperation(of, operation, known()));
    },
    pair: (change, { id }, labelSecret, requestId) =>
      change((tx) => accept(deps, tx, id, { operation: PAIR, command: { name: PAIR }, labelSecret, requestId })),
    changeSettings: (change, of, { during_release, by, ...settings }, requestId) => {
      const giver = by === undefined ? {} : { by };
      const order = { operation: 'settings', requestId, ...giver, duringRelease: during_release === true };
      return submit(change, of, order, decideSettings(of, settings, known()));
    },
    releaseLot: (change, { lot_id, hold, by }, requestId) =>
      change(async (tx) => {
        const choose = () => productsOfLot(tx, lot_id);
        if (!hold) return commandAll(deps, tx, { name: 'open', by, requestId, choose });
        const released_by = await nameOfCaller(tx, by);
        const alone = () => saveOrder(tx, { lot_id, released_by });
        return commandAll(deps, tx, { name: 'stay_open', by, requestId, choose, alone });
      }),
    clearRelease: (change, { lot_id, by }, requestId) =>
      change((tx) =>
        commandAll(deps, tx, {
          name: 'clear_stay_open',
          by,
          requestId,
          choose: () => productsHeldOpen(tx, lot_id),
          alone: () => saveOrder(tx, { lot_id, released_by: null }),
        }),
      ),
  };
}

/** Accepts a command after its checks. */
async function accept(deps: CommandsDeps, tx: Tx, product_id: number, order: CommandOrder): Promise<EventId> {
  const { dispatcher } = deps;
  // First of all: from then on the product is not deleted.
  const pending = await pendingCommandsOf(tx, [product_id]);
  const target = await findCommandTarget(tx, product_id);
  if (target === undefined) throw new ApiError(NOT_FOUND);
  const { remote_control, ...product } = target;
  if (isClosing(order.command.name) && order.duringRelease !== true) await refuseReleased(tx, product.lot_id);
  if (pending.length > 0) throw new ApiError(OPERATION_UNFINISHED);
  const isPairing = order.operation === PAIR;
  const seeing = await (isPairing ? dispatcher.seeingToPair(tx, product_id) : dispatcher.seeing(tx, product_id));
  const canObey = isPairing || product.master_key_sealed !== null;
  if (!canObey || seeing.length === 0) throw new ApiError(NOT_SEEN_RECENTLY);
  if (remote_control === 0) throw new ApiError(NO_REMOTE_CONTROL);
  await requireCommandLeft(tx, { product_id, command: order.command, perMin: deps.ratePerMin, now: deps.clock.now() });
  const command = await insertNew(deps, tx, product, { ...order, isEmergency: false });
  noteAudit(tx, { account_id: command.account_id, lot_id: product.lot_id, details: { event_id: command.event_id } });
  const { labelSecret, requestId } = order;
  const secret = labelSecret === undefined ? {} : { labelSecret };
  await dispatcher.begin(tx, { command, product }, { input: { type: 'begin' }, requestId, ...secret });
  const event_id = eventIdSchema.parse(command.event_id);
  await order.onAccepted?.(tx, event_id);
  return event_id;
}

/** @throws ApiError while everything in the lot is held open */
async function refuseReleased(tx: Tx, lot_id: number | null): Promise<void> {
  if ((await findLotRelease(tx, lot_id)).released_at === null) return;
  const message = 'The lot is held open in an emergency: say true to close nevertheless';
  throw new ApiError(VALIDATION, { field: 'during_release', message });
}

/** Whether a vehicle can pass when it is done. */
const isOpening = (operation: ProductOperation): boolean => operation === 'open' || operation === 'stay_open';

/** Inserts a command with an event_id that no other command has. */
async function insertNew(
  { generateEventId, clock }: CommandsDeps,
  tx: Tx,
  product: Row<'products'>,
  order: Pick<CommandOrder, 'operation' | 'command'> & Given,
): Promise<Row<'commands'>> {
  const columns = await givenColumns(tx, order);
  for (let tries = 0; tries < EVENT_ID_TRIES_MAX; tries++) {
    const row: Row<'commands'> = {
      event_id: generateEventId(),
      account_id: product.account_id,
      lot_id: product.lot_id,
      product_id: product.id,
      operation: order.operation,
      command: encodeJson(order.command),
      status: 'pending',
      gateway_error_type: null,
      created_at: clock.now(),
      ended_at: null,
      is_emergency: order.isEmergency ? 1 : 0,
      ...columns,
    };
    if (await insertCommand(tx, row)) return row;
  }
  throw new Error(`no free event_id was found in ${EVENT_ID_TRIES_MAX} tries`);
}

interface CommonOrder {
  name: 'open' | 'stay_open' | 'clear_stay_open';
  by: Caller;
  requestId: string | undefined;
  /** Finds the products that are to do it. */
  choose: () => Promise<Row<'products'>[]>;
  /** Is done while no other command is accepted for these products. */
  alone?: () => Promise<void>;
}

/** Gives the same command for several products of a lot, without checks. */
async function commandAll(
  deps: CommandsDeps,
  tx: Tx,
  { name, by, requestId, choose, alone }: CommonOrder,
): Promise<EventId[]> {
  const event_ids: EventId[] = [];
  await tx.lock(...(await choose()).map(({ id }) => LOCKS.pendingCommands(id)));
  await alone?.();
  // Chosen again, because a product may have been deleted until it was locked.
  for (const product of await choose()) {
    const command = await insertNew(deps, tx, product, { operation: name, command: { name }, by, isEmergency: true });
    const isPaired = product.master_key_sealed !== null;
    const input = isPaired ? ({ type: 'begin' } as const) : ({ type: 'impossible', error: NOT_INITIALISED } as const);
    await deps.dispatcher.begin(tx, { command, product }, { input, requestId });
    event_ids.push(eventIdSchema.parse(command.event_id));
  }
  noteAudit(tx, { details: { event_ids } });
  return event_ids;
}

/** Lists the products of a lot that are held open, or are being opened to be held. */
async function productsHeldOpen(tx: Tx, lot_id: number): Promise<Row<'products'>[]> {
  const products = await productsOfLot(tx, lot_id);
  const pending = await pendingCommandsOf(
    tx,
    products.map(({ id }) => id),
  );
  const isBeingHeld = (id: number) =>
    pending.some(({ product_id, operation }) => product_id === id && operation === 'stay_open');
  return products.filter(({ id, permanent_position }) => permanent_position === 'stay_open' || isBeingHeld(id));
}

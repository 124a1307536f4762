/** Gives commands, after the checks that the contract puts before each. */
import type { Clock } from '../../shared/clock.js';
import { ApiError } from '../../shared/errors.js';
import type { EventId } from '../../shared/ids.js';
import type { ProductOperation } from '../../shared/uplink.js';
import { noteAudit } from '../store/audit-scope.js';
import type { CloudStore, Db } from '../store/cloud-store.js';
import { insertCommand, pendingCommandsOf } from '../store/queries/commands.js';
import { findCommandTarget, productsOfLot } from '../store/queries/products.js';
import type { Row } from '../store/schema.js';
import type { CommandDispatcher } from './command-dispatcher.js';
import type { StepWork, TakenStep } from './command-steps.js';
import {
  type CommandDecision,
  type CommandProduct,
  decideOperation,
  decideSettings,
  type ProductSettings,
} from './decide-command.js';
import { type OrderedCommand, PAIR } from './ordered-command.js';
import { createRateLimiter } from './rate-limiter.js';

export type { ProductSettings } from './decide-command.js';

export interface Commands {
  /**
   * Accepts an operation, or says why not: ApiError 23 on `operation` (nothing to clear), 214 (an earlier command has not ended),
   * 704 (no gateway sees the product), 30 (the subscription), 429 (too many in a minute), in this order. A product that is
   * not paired is seen by nobody. Resolves when the first gateway was asked.
   */
  operate(of: CommandProduct, operation: ProductOperation): Promise<EventId>;
  /** The same for settings, which must be those of the product's kind. */
  changeSettings(of: CommandProduct, settings: ProductSettings): Promise<EventId>;
  /** Pairs a product over the air, with the secret of its label (16 bytes). Refused as a command is, but for the key that is missing. */
  pair(product: { id: number }, labelSecret: Uint8Array): Promise<EventId>;
  /**
   * Opens every product of a lot. An emergency: people may be shut in, so that nothing is checked beforehand. It does
   * not wait for earlier commands, needs no subscription, counts as no request, and asks every gateway of the lot that is
   * online, also those that hear a product faintly or not at all. What cannot be reached ends with a gateway_error, as any command.
   */
  releaseLot(lot: { lot_id: number; hold: boolean }): Promise<EventId[]>;
  /** Ends it for the products that are held open, or are being opened to be held. */
  clearRelease(lot_id: number): Promise<EventId[]>;
}

export interface CommandsDeps {
  store: CloudStore;
  dispatcher: CommandDispatcher;
  clock: Clock;
  /** 8 random hex digits. */
  makeEventId: () => EventId;
  /** RATE_COMMANDS_PER_MIN, per product; opening ones are never limited: a driver is waiting. */
  ratePerMin: number;
  /** PRODUCT_SEEN_WITHIN_MS: for how long a reported state is believed. */
  seenWithinMs: number;
}

interface CommandOrder {
  /** Of the vocabulary of the state call, `settings`, or `pair`. */
  operation: string;
  command: OrderedCommand;
}

/** A device with so many commands that a free event_id is not found in these tries is no device of this world. */
const EVENT_ID_TRIES_MAX = 20;
const NOT_INITIALISED = 8;

export function createCommands(deps: CommandsDeps): Commands {
  const { store, dispatcher, clock } = deps;
  const limiter = createRateLimiter({ perMin: deps.ratePerMin, clock });

  async function insert(tx: Db, product: Row<'products'>, order: CommandOrder) {
    for (let tries = 0; tries < EVENT_ID_TRIES_MAX; tries++) {
      const row: Row<'commands'> = {
        event_id: deps.makeEventId(),
        account_id: product.account_id,
        lot_id: product.lot_id,
        product_id: product.id,
        operation: order.operation,
        command: JSON.stringify(order.command),
        status: 'pending',
        gateway_error_type: null,
        created_at: clock.now(),
        ended_at: null,
      };
      if (await insertCommand(tx, row)) return row;
    }
    throw new Error(`no free event_id was found in ${EVENT_ID_TRIES_MAX} tries`);
  }

  async function accept(work: StepWork, product_id: number, order: CommandOrder): Promise<TakenStep> {
    const target = await findCommandTarget(work.tx, product_id);
    if (target === undefined) throw new ApiError(6);
    const { remote_control, ...product } = target;
    if ((await pendingCommandsOf(work.tx, [product_id])).length > 0) throw new ApiError(214);
    const isPairing = order.operation === PAIR;
    const seeing = isPairing ? dispatcher.seeingToPair(product_id) : dispatcher.seeing(product_id);
    const canObey = isPairing || product.master_key_sealed !== null;
    if (!canObey || seeing.length === 0) throw new ApiError(704);
    if (remote_control === 0) throw new ApiError(30);
    if (isLimited(order.command)) limiter.check(product_id);
    const command = await insert(work.tx, product, order);
    noteAudit({ account_id: command.account_id, details: { event_id: command.event_id } });
    return dispatcher.begin(work, { command, product }, { input: { type: 'begin' }, isEmergency: false });
  }

  async function submit({ product }: CommandProduct, operation: string, decision: CommandDecision): Promise<EventId> {
    if ('problem' in decision) throw ApiError.validation([decision.problem]);
    const order = { operation, command: decision.command };
    const step = await store.change((tx, events) => accept({ tx, events }, product.id, order));
    if (isLimited(order.command)) limiter.count(product.id);
    dispatcher.committed(step);
    return step.event_id;
  }
  const known = () => ({ now: clock.now(), withinMs: deps.seenWithinMs });

  /** The same command for several products of a lot, none of them checked. */
  async function commandAll(
    name: 'open' | 'stay_open' | 'clear_stay_open',
    choose: (tx: Db) => Promise<Row<'products'>[]>,
  ): Promise<EventId[]> {
    const steps = await store.change(async (tx, events) => {
      const taken: TakenStep[] = [];
      for (const product of await choose(tx)) {
        const command = await insert(tx, product, { operation: name, command: { name } });
        const isPaired = product.master_key_sealed !== null;
        const input = isPaired
          ? ({ type: 'begin' } as const)
          : ({ type: 'impossible', error: NOT_INITIALISED } as const);
        taken.push(await dispatcher.begin({ tx, events }, { command, product }, { input, isEmergency: true }));
      }
      noteAudit({ details: { event_ids: taken.map(({ event_id }) => event_id) } });
      return taken;
    });
    for (const step of steps) dispatcher.committed(step);
    return steps.map(({ event_id }) => event_id);
  }

  return {
    operate: (of, operation) => submit(of, operation, decideOperation(of, operation, known())),
    async pair({ id }, labelSecret) {
      const order = { operation: PAIR, command: { name: PAIR } } as const;
      const step = await store.change((tx, events) => accept({ tx, events }, id, order));
      limiter.count(id);
      dispatcher.pairings.hold(step.event_id, labelSecret);
      dispatcher.committed(step);
      return step.event_id;
    },
    changeSettings: (of, settings) => submit(of, 'settings', decideSettings(of, settings, known())),
    releaseLot: ({ lot_id, hold }) => commandAll(hold ? 'stay_open' : 'open', (tx) => productsOfLot(tx, lot_id)),
    clearRelease: (lot_id) =>
      commandAll('clear_stay_open', async (tx) => {
        const products = await productsOfLot(tx, lot_id);
        const pending = await pendingCommandsOf(
          tx,
          products.map(({ id }) => id),
        );
        const isBeingHeld = (id: number) =>
          pending.some(({ product_id, operation }) => product_id === id && operation === 'stay_open');
        return products.filter(({ id, permanent_position }) => permanent_position === 'stay_open' || isBeingHeld(id));
      }),
  };
}

const isLimited = ({ name }: OrderedCommand): boolean => name !== 'open' && name !== 'stay_open';

/** Operates single products for people at the local console, also without a network. */
import type { Clock } from '../../shared/clock.js';
import { GATEWAY_ERROR_MESSAGES, type GatewayErrorType } from '../../shared/errors.js';
import type { CameraItem, ProductItem } from '../../shared/gateway-config.js';
import type { EventId, ProductDeviceId, Uid } from '../../shared/ids.js';
import type { ProductOperation } from '../../shared/uplink-orders.js';
import type { Logger } from '../../shared/logger.js';
import type { HandledVehicles } from '../access/handled-vehicles.js';
import { endStayOfLetOut } from '../access/let-out-stay.js';
import type { OpenSessions } from '../access/open-sessions.js';
import type { CommandOutcome, ProductCommander } from '../product/product-commander.js';
import type { AgentStore, OpeningIntent } from '../store/agent-store.js';
import { createTasks } from '../waiting/tasks.js';
import type { Asking, LocalActions } from './local-actions.js';
import { tryCommand } from './try-command.js';

/** How long after it came a vehicle can be let through: later another one stands there, or none. */
export const LET_IN_MS = 10 * 60_000;
/** Commands of people under way at once, at all products. */
const UNDER_WAY_MAX = 8;
const RETRY_AFTER_S = 5;

/** The outcome. */
export interface OperationOutcome {
  is_done: boolean;
  /** The reason of `gateway_error`, for which a page has words in its own language; null: it is done. */
  type: GatewayErrorType | null;
  /** Why it is not done, for people; null: it is done. */
  problem: string | null;
  /**
   * The stay of a refused exit that was let out, as this gateway knows it. `unknown`: it knows none; the cloud ends it when it hears of one. Left
   * out: no exit was let out.
   */
  stay?: 'ended' | 'unknown';
}

/** Why it was not begun, for people. `retryAfterS`: whole seconds. */
export interface OperationRefusal {
  status: 404 | 409 | 429;
  message: string;
  retryAfterS?: number;
}

export type OperationResult = OperationOutcome | OperationRefusal;

export interface LocalOperations {
  operate(deviceId: string, operation: ProductOperation, asking: Asking): Promise<OperationResult>;
  /**
   * Opens for the vehicle of a sighting or of a refused reading, once, while that is fresh. For a refused exit it ends the stay, and may be
   * asked for again: the driver may have missed the open gate.
   */
  letIn(uid: string, asking: Asking): Promise<OperationResult>;
  /** Breaks off what runs, and waits until it is kept. */
  close(): Promise<void>;
}

/** A vehicle that waits. `age_ms`: how long ago it was there; Infinity: not known. `decided` null: its plate could not be read. */
export interface WaitingVehicle {
  uid: Uid;
  decided: { plate: string } | null;
  direction: string;
  /** Wall milliseconds. */
  event_ms: number;
  age_ms: number;
  camera: Pick<CameraItem, 'name' | 'product_device_id'>;
}

export interface LocalOperationsDeps {
  product(deviceId: string): ProductItem | undefined;
  /** Finds a vehicle without a plate, or one that was refused; null: it is not remembered. */
  vehicle(uid: string): WaitingVehicle | null;
  handled: Pick<HandledVehicles, 'of' | 'noteLetIn'>;
  sessions: Pick<OpenSessions, 'own' | 'lookAlike' | 'change'>;
  store: Pick<AgentStore, 'keepIntent'>;
  commander: ProductCommander;
  actions: Pick<LocalActions, 'note'>;
  clock: Clock;
  newEventId(): EventId;
  logger: Logger;
}

export function createLocalOperations(deps: LocalOperationsDeps): LocalOperations {
  const { clock, handled } = deps;
  const underWay = new Set<string>();
  const tasks = createTasks();
  /** Vehicles that are being let in. */
  const lettingIn = new Set<Uid>();

  /** The product, or why it cannot be operated now. */
  function free(deviceId: string): { product: ProductItem } | OperationRefusal {
    const product = deps.product(deviceId);
    if (product === undefined) return { status: 404, message: `This gateway knows no product ${deviceId}` };
    if (product.pairing === null) {
      return { status: 409, message: `${product.name} is not paired yet: pair it in the console of the cloud` };
    }
    if (underWay.has(deviceId)) {
      return { status: 409, message: `${product.name} is being operated already: wait until that has ended` };
    }
    if (underWay.size < UNDER_WAY_MAX) return { product };
    const message = `${UNDER_WAY_MAX} products are being operated: try again in a moment`;
    return { status: 429, message, retryAfterS: RETRY_AFTER_S };
  }

  async function run(
    order: { product: ProductItem; operation: ProductOperation; vehicle: WaitingVehicle | null },
    asking: Asking,
  ): Promise<OperationOutcome> {
    const { product, operation, vehicle } = order;
    const { device_id, id: product_id } = product;
    const event_id = deps.newEventId();
    const at_ms = clock.now();
    underWay.add(device_id);
    const command = { device_id, event_id, name: operation, is_urgent: operation === 'open' };
    const uids = uidsOf(vehicle);
    const trying = tryCommand(deps, command, tasks.signal);
    if (uids.reading_uid !== null) keepIntent(deps, { reading_uid: uids.reading_uid, event_id, product_id });
    const done = trying.then((outcome) =>
      noteOutcome(deps, { vehicle, outcome, at_ms, facts: { ...asking, product_id, operation, event_id, ...uids } }),
    );
    const over = done.finally(() => underWay.delete(device_id));
    tasks.add(over);
    return over;
  }

  return {
    async operate(deviceId, operation, asking) {
      const found = free(deviceId);
      return 'status' in found ? found : run({ product: found.product, operation, vehicle: null }, asking);
    },
    async letIn(uid, asking) {
      const found = findFresh(deps.vehicle(uid));
      if ('status' in found) return found;
      const { vehicle, product_device_id } = found;
      const before = handled.of(vehicle.uid);
      if (before?.how === 'let_in' && leftBy(vehicle) === null)
        return { status: 409, message: `The vehicle was let in already by ${before.by}` };
      if (lettingIn.has(vehicle.uid)) return { status: 409, message: 'The vehicle is being let in already' };
      const opened = free(product_device_id);
      if ('status' in opened) return opened;
      lettingIn.add(vehicle.uid);
      return run({ product: opened.product, operation: 'open', vehicle }, asking).finally(() =>
        lettingIn.delete(vehicle.uid),
      );
    },
    close: tasks.close,
  };
}

/** After a crash it is told that nobody knows whether the product opened, and nothing is opened again. The opening waits for no disk. */
function keepIntent({ store, logger }: LocalOperationsDeps, intent: OpeningIntent): void {
  store.keepIntent(intent).catch((error: unknown) => {
    logger.warn({ err: error, uid: intent.reading_uid }, 'that a vehicle is let through could not be kept before');
  });
}

/** Keeps how an operation ended, before whoever asked is told: it is done after a restart, too. */
async function noteOutcome(
  { handled, sessions, actions }: LocalOperationsDeps,
  of: {
    vehicle: WaitingVehicle | null;
    outcome: CommandOutcome;
    at_ms: number;
    facts: Parameters<LocalActions['note']>[1];
  },
): Promise<OperationOutcome> {
  const { vehicle, outcome, at_ms } = of;
  const isLetIn = vehicle !== null && outcome.outcome === 'succeeded';
  const left = isLetIn ? leftBy(vehicle) : null;
  const ended = left === null ? [] : endStayOfLetOut(sessions, left);
  if (isLetIn) handled.noteLetIn(vehicle.uid, at_ms);
  const facts = { ...of.facts, ...outcomeOf(outcome) };
  await actions.note(vehicle === null ? 'operation' : 'let_in', facts, at_ms, ended);
  return { ...represented(outcome), ...(left === null ? {} : { stay: stayOf(ended) }) };
}

/** The read by which a vehicle leaves; null: it comes in, or its plate could not be read. */
const leftBy = ({ decided, direction, event_ms }: WaitingVehicle) =>
  decided === null || direction !== 'out' ? null : { plate: decided.plate, event_ms };

const stayOf = (ended: readonly unknown[]): 'ended' | 'unknown' => (ended.length > 0 ? 'ended' : 'unknown');

/** The record names a vehicle as what it is. */
const uidsOf = (vehicle: WaitingVehicle | null) => ({
  sighting_uid: vehicle?.decided === null ? vehicle.uid : null,
  reading_uid: vehicle === null || vehicle.decided === null ? null : vehicle.uid,
});

/** The product of a vehicle that is fresh, or why it cannot be let in. */
function findFresh(
  vehicle: WaitingVehicle | null,
): { vehicle: WaitingVehicle; product_device_id: ProductDeviceId } | OperationRefusal {
  if (vehicle === null) return { status: 404, message: 'This gateway knows no such vehicle any more' };
  if (vehicle.age_ms > LET_IN_MS) {
    return { status: 409, message: 'The vehicle was seen more than 10 minutes ago: open the product itself' };
  }
  const { name, product_device_id } = vehicle.camera;
  if (product_device_id === null) return { status: 409, message: `The camera ${name} opens no product` };
  return { vehicle, product_device_id };
}

const represented = (outcome: CommandOutcome): OperationOutcome =>
  outcome.outcome === 'succeeded'
    ? { is_done: true, type: null, problem: null }
    : { is_done: false, type: outcome.type, problem: GATEWAY_ERROR_MESSAGES[outcome.type] };

/** As a record tells it. */
export const outcomeOf = (outcome: CommandOutcome) =>
  outcome.outcome === 'succeeded'
    ? ({ outcome: 'succeeded', gateway_error_type: null } as const)
    : ({ outcome: 'failed', gateway_error_type: outcome.type } as const);

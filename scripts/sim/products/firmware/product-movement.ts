/** How a product moves: one movement at a time, from its start to its result, and auto-close. */
import { GATEWAY_ERROR } from '../../../../shared/gateway-error-types.js';
import type { Movement } from '../../../../shared/product-protocol/commands.js';
import { findObstacle } from './product-checks.js';
import {
  type Answer,
  type FinalResult,
  isAutoCloseOn,
  type MovementOrder,
  type ProductLink,
  type ProductMemory,
  type ProductSensors,
  type ProductState,
} from './product-state.js';
import type { BlockResult } from '../../../../shared/product-protocol/status-block.js';

export type ProductEffect =
  | { type: 'send'; message: Uint8Array }
  /** The shell answers with the input `movementDone` or `movementJammed`. */
  | { type: 'startMovement'; target: Movement['target'] }
  /** A car appeared, or somebody wants to pass, while closing: the motor goes back to `opened`; the shell answers as for a start. */
  | { type: 'stopAndReverse' }
  /** The shell ends the link, which the product has already forgotten. */
  | { type: 'dropLink' };

/** An unfinished step: the STATUS that it must send is built from its final state. */
export interface Draft {
  state: ProductState;
  effects: ProductEffect[];
  replies: Reply[];
}

/** A STATUS that is to be sent. */
export type Reply = Answer & { result: BlockResult };

/** A movement that takes longer is blocked: it ends as jammed. */
const MOVEMENT_MAX_MS = 120_000;
const REMEMBERED_MAX = 8;

const AUTO_CLOSE: Movement = { target: 'closed', ignoresDirtySensor: false, setsPosition: null };

/** A step that only changes the state. */
export function only(state: ProductState): Draft {
  return { state, effects: [], replies: [] };
}

/** Adds a command to the last executed ones; `result` is null while the product moves. */
export function remember(memory: ProductMemory, key: string, result: FinalResult | null): ProductMemory {
  return { ...memory, remembered: [...memory.remembered, { key, result }].slice(-REMEMBERED_MAX) };
}

/** @param order the command that begins it; null: the product's own auto-close */
export function beginMovement(
  state: ProductState,
  { target, order }: { target: Movement['target']; order: Omit<MovementOrder, 'failure'> | null },
  nowMs: number,
): Draft {
  const memory: ProductMemory = { ...state.memory, position: 'unknown' };
  return {
    state: {
      ...state,
      memory: order === null ? memory : remember(memory, order.key, null),
      movement: { target, orders: order === null ? [] : [{ ...order, failure: null }], startedMs: nowMs },
      autoCloseAtMs: null,
    },
    effects: [{ type: 'startMovement', target }],
    replies: [],
  };
}

/** Lets an opening command share the opening movement that is under way: it is remembered, and answered, as one of its own. */
export function joinMovement(state: ProductState, order: Omit<MovementOrder, 'failure'>): Draft {
  const { movement, memory } = state;
  if (movement === null) throw new Error(`nothing moved that ${memory.deviceId} could join`);
  const orders = [...movement.orders, { ...order, failure: null }];
  return only({ ...state, memory: remember(memory, order.key, null), movement: { ...movement, orders } });
}

/**
 * Turns a closing movement back for an opening command. The commands that closed end with `busy` at once: their
 * movement does not happen, and whoever sends one again gets the same answer.
 */
export function reverseMovement(state: ProductState, order: Omit<MovementOrder, 'failure'>, nowMs: number): Draft {
  const { memory, link } = state;
  const superseded: FinalResult = { kind: 'error', type: GATEWAY_ERROR.BUSY };
  const ended = endCommands(memory, () => superseded);
  return {
    state: {
      ...state,
      memory: remember(ended, order.key, null),
      movement: { target: 'opened', orders: [{ ...order, failure: null }], startedMs: nowMs },
      link: link === null ? null : { ...link, awaiting: [] },
    },
    effects: [{ type: 'stopAndReverse' }],
    replies: repliesTo(link, () => superseded),
  };
}

/** @throws Error when nothing moves */
export function endMovement(state: ProductState, end: 'arrived' | 'jammed', nowMs: number): Draft {
  const { movement, memory, link } = state;
  if (movement === null) throw new Error(`the movement of ${memory.deviceId} ended, but nothing moved`);
  const resultOf = (key: string): FinalResult => {
    const failure = movement.orders.find((order) => order.key === key)?.failure ?? null;
    const type = failure ?? (end === 'jammed' ? GATEWAY_ERROR.JAMMED : null);
    return type === null ? { kind: 'ok' } : { kind: 'error', type };
  };
  const positions = movement.orders.flatMap(({ key, setsPosition }) =>
    setsPosition === null || resultOf(key).kind === 'error' ? [] : [setsPosition],
  );
  return {
    state: {
      ...state,
      memory: {
        ...endCommands(memory, resultOf),
        position: end === 'jammed' ? 'error' : movement.target,
        permanentPosition: positions.at(-1) ?? memory.permanentPosition,
      },
      sensors: { ...state.sensors, jammed: end === 'jammed' },
      movement: null,
      link: link === null ? null : { ...link, awaiting: [], lastActivityMs: nowMs },
    },
    effects: [],
    replies: repliesTo(link, resultOf),
  };
}

/** Gives the commands that were under way their result. */
function endCommands(memory: ProductMemory, resultOf: (key: string) => FinalResult): ProductMemory {
  const remembered = memory.remembered.map((entry) =>
    entry.result === null ? { ...entry, result: resultOf(entry.key) } : entry,
  );
  return { ...memory, remembered };
}

function repliesTo(link: ProductLink | null, resultOf: (key: string) => FinalResult): Reply[] {
  return (link?.awaiting ?? []).map(({ key, ...awaited }) => ({ ...awaited, result: resultOf(key) }));
}

/** Sets what the sensors say now. A car that appears while closing reverses the movement. */
export function changeSensors(state: ProductState, change: Partial<ProductSensors>): Draft {
  const sensors = { ...state.sensors, ...change };
  const { movement } = state;
  if (!sensors.carOnTop || movement?.target !== 'closed') {
    return only({ ...state, sensors });
  }
  const orders = movement.orders.map((order) => ({ ...order, failure: GATEWAY_ERROR.CAR_ON_TOP }));
  return {
    state: { ...state, sensors, movement: { ...movement, target: 'opened', orders } },
    effects: [{ type: 'stopAndReverse' }],
    replies: [],
  };
}

/** Begins the wait for auto-close, or ends it: the way must be free for the whole time. */
export function withAutoClose(state: ProductState, nowMs: number): ProductState {
  const { memory, movement } = state;
  const waits =
    memory.position === 'opened' &&
    movement === null &&
    isAutoCloseOn(memory) &&
    findObstacle(state, AUTO_CLOSE) === null;
  if (!waits) return state.autoCloseAtMs === null ? state : { ...state, autoCloseAtMs: null };
  return state.autoCloseAtMs === null ? { ...state, autoCloseAtMs: nowMs + memory.autoClose.seconds * 1000 } : state;
}

/** Does what is due: ends a movement that takes too long, or begins auto-close. */
export function tickMovement(state: ProductState, nowMs: number): Draft {
  if (state.movement !== null && nowMs >= movementDueMs(state.movement)) return endMovement(state, 'jammed', nowMs);
  if (state.autoCloseAtMs !== null && nowMs >= state.autoCloseAtMs) {
    return beginMovement(state, { target: AUTO_CLOSE.target, order: null }, nowMs);
  }
  return only(state);
}

export function movementDueMs({ startedMs }: { startedMs: number }): number {
  return startedMs + MOVEMENT_MAX_MS;
}

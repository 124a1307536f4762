/** How a product moves: one movement at a time, from its start to its result, and auto-close. */
import type { GatewayErrorType } from '../../../../shared/errors.js';
import type { Movement } from '../../../../shared/product-protocol/commands.js';
import { findObstacle } from './product-checks.js';
import {
  type Answer,
  type FinalResult,
  isAutoCloseOn,
  type ProductMemory,
  type ProductSensors,
  type ProductState,
} from './product-state.js';
import type { BlockResult } from '../../../../shared/product-protocol/status-block.js';

export type ProductEffect =
  | { type: 'send'; message: Uint8Array }
  /** The shell answers with the input `movementDone` or `movementJammed`. */
  | { type: 'startMovement'; target: Movement['target'] }
  /** A car appeared while closing: the motor goes back to `opened`; the shell answers as for a start. */
  | { type: 'stopAndReverse' }
  /** The shell ends the link, which the product has already forgotten. */
  | { type: 'dropLink' };

/** An unfinished step: the STATUS that it must send is built from its final state. */
export interface Draft {
  state: ProductState;
  effects: ProductEffect[];
  reply: (Answer & { result: BlockResult }) | null;
}

/** A movement that takes longer is blocked: it ends as jammed. */
const MOVEMENT_MAX_MS = 120_000;
const REMEMBERED_MAX = 8;

const AUTO_CLOSE: Movement = { target: 'closed', ignoresDirtySensor: false, setsPosition: null };

/** A step that only changes the state. */
export function only(state: ProductState): Draft {
  return { state, effects: [], reply: null };
}

/** Adds a command to the last executed ones; `result` is null while the product moves. */
export function remember(memory: ProductMemory, key: string, result: FinalResult | null): ProductMemory {
  return { ...memory, remembered: [...memory.remembered, { key, result }].slice(-REMEMBERED_MAX) };
}

/** @param movement.key of the remembered command; null: the product's own auto-close */
export function beginMovement(
  state: ProductState,
  { target, setsPosition, key }: Pick<Movement, 'target' | 'setsPosition'> & { key: string | null },
  nowMs: number,
): Draft {
  const memory: ProductMemory = { ...state.memory, position: 'unknown' };
  return {
    state: {
      ...state,
      memory: key === null ? memory : remember(memory, key, null),
      movement: { target, setsPosition, key, reversed: false, startedMs: nowMs },
      autoCloseAtMs: null,
    },
    effects: [{ type: 'startMovement', target }],
    reply: null,
  };
}

/** @throws Error when nothing moves */
export function endMovement(state: ProductState, end: 'arrived' | 'jammed', nowMs: number): Draft {
  const { movement, memory, link } = state;
  if (movement === null) throw new Error(`the movement of ${memory.deviceId} ended, but nothing moved`);
  const errorType: GatewayErrorType | null = movement.reversed ? 6 : end === 'jammed' ? 5 : null;
  const result: FinalResult = errorType === null ? { kind: 'ok' } : { kind: 'error', type: errorType };
  const isPositionSet = errorType === null && movement.setsPosition !== null;
  return {
    state: {
      ...state,
      memory: {
        ...memory,
        position: end === 'jammed' ? 'error' : movement.target,
        permanentPosition: isPositionSet ? (movement.setsPosition ?? 'disabled') : memory.permanentPosition,
        remembered: memory.remembered.map((entry) => (entry.result === null ? { ...entry, result } : entry)),
      },
      sensors: { ...state.sensors, jammed: end === 'jammed' },
      movement: null,
      link: link === null ? null : { ...link, awaiting: null, lastActivityMs: nowMs },
    },
    effects: [],
    reply: link?.awaiting ? { ...link.awaiting, result } : null,
  };
}

/** Sets what the sensors say now. A car that appears while closing reverses the movement. */
export function changeSensors(state: ProductState, change: Partial<ProductSensors>): Draft {
  const sensors = { ...state.sensors, ...change };
  const { movement } = state;
  if (!sensors.carOnTop || movement?.target !== 'closed') {
    return only({ ...state, sensors });
  }
  return {
    state: { ...state, sensors, movement: { ...movement, target: 'opened', reversed: true } },
    effects: [{ type: 'stopAndReverse' }],
    reply: null,
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
    return beginMovement(state, { ...AUTO_CLOSE, key: null }, nowMs);
  }
  return only(state);
}

export function movementDueMs({ startedMs }: { startedMs: number }): number {
  return startedMs + MOVEMENT_MAX_MS;
}

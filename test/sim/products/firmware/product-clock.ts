/** The product's real-time clock, and the floor below which clients cannot set it after it lost the time. */
import type { ProductState } from './product-state.js';
import { isInTokenWindow, type Token } from '../../../../shared/product-protocol/token-codec.js';

/** The largest step by which `set_time` moves a valid clock. */
const CLOCK_STEP_MAX_S = 15 * 60;
const FLOOR_STORED_EVERY_S = 60 * 60;
/** Times are u32 on the wire; a clock that reaches this stands still. */
const TIME_MAX_S = 0xffffffff;

/** Seconds since 1970; null: the clock is not valid. */
export function rtcNowS({ rtc }: Pick<ProductState, 'rtc'>, nowMs: number): number | null {
  return rtc === null ? null : Math.min(TIME_MAX_S, rtc.timeS + Math.floor((nowMs - rtc.setMs) / 1000));
}

/** The time that the product reports: while the clock is not valid, the highest time it ever held. */
export function reportedTimeS(state: ProductState, nowMs: number): number {
  return rtcNowS(state, nowMs) ?? state.memory.clockFloorS;
}

export function withRtc(state: ProductState, timeS: number, nowMs: number): ProductState {
  const memory = { ...state.memory, clockFloorS: Math.max(state.memory.clockFloorS, timeS) };
  return { ...state, memory, rtc: { timeS, setMs: nowMs } };
}

/** Stores the time once an hour, so that a clock that fails cannot be set far back. */
export function withStoredFloor(state: ProductState, nowMs: number): ProductState {
  const dueMs = floorDueMs(state);
  const timeS = rtcNowS(state, nowMs);
  if (dueMs === null || timeS === null || nowMs < dueMs) return state;
  return { ...state, memory: { ...state.memory, clockFloorS: timeS } };
}

/** When the floor must be stored next; null when there is no time, or no higher one. */
export function floorDueMs({ rtc, memory }: ProductState): number | null {
  const dueS = memory.clockFloorS + FLOOR_STORED_EVERY_S;
  return rtc === null || dueS > TIME_MAX_S ? null : rtc.setMs + (dueS - rtc.timeS) * 1000;
}

/**
 * The time that `set_time` to `timeS` sets the clock to; null when the token does not allow it.
 * A valid clock, against which the token's window was already checked, moves towards the given time by a bounded step. A clock that
 * lost the time accepts any time in the token's window that is not below the floor.
 */
export function decideSetTime(
  state: ProductState,
  { token, timeS, nowMs }: { token: Token; timeS: number; nowMs: number },
): number | null {
  const presentS = rtcNowS(state, nowMs);
  if (presentS !== null) {
    return Math.max(presentS - CLOCK_STEP_MAX_S, Math.min(presentS + CLOCK_STEP_MAX_S, timeS));
  }
  return isInTokenWindow(token, timeS) && timeS >= state.memory.clockFloorS ? timeS : null;
}

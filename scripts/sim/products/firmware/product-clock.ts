/**
 * The product's real-time clock. Whoever may set it moves it by a small budget only, so that a stolen gateway cannot keep its tokens
 * from ending; the cloud alone corrects more, by a record that names an exchange of the last minutes.
 */
import { CLOCK_BUDGET_S, CLOCK_NONCE_LIFE_MS, clockNonceOf } from '../../../../shared/product-protocol/clock-limits.js';
import { isInTokenWindow, SLOTS, type Token } from '../../../../shared/product-protocol/token-codec.js';
import { NOT_MOVED, type ProductState } from './product-state.js';

/** The budget is whole again once `set_time` has not moved the clock for this uptime. */
const QUIET_S = 24 * 60 * 60;
/** Uptime is stored in steps, so that a loss of power makes the wait longer, never shorter. */
const QUIET_STEP_S = 60 * 60;
const FLOOR_STORED_EVERY_S = 60 * 60;
const NONCES_MAX = 8;
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

/** Gives the clock a time. The floor, the highest time that it ever held, stays or rises. */
export function withRtc(state: ProductState, timeS: number, nowMs: number): ProductState {
  return {
    ...state,
    memory: { ...state.memory, clockFloorS: highestS(state, nowMs, timeS) },
    rtc: { timeS, setMs: nowMs },
  };
}

/** Moves the clock to what `decideSetTime` allowed, and takes that from the budget if the clock was valid. */
export function withTimeSet(state: ProductState, timeS: number, nowMs: number): ProductState {
  const movedS = Math.abs(timeS - (rtcNowS(state, nowMs) ?? timeS));
  const set = withRtc(state, timeS, nowMs);
  if (movedS === 0) return set;
  const clockMoves = { movedS: state.memory.clockMoves.movedS + movedS, quietS: 0 };
  return { ...set, memory: { ...set.memory, clockMoves }, quietFromMs: nowMs };
}

/** Takes the time of a `clock` record. The cloud is right about the floor too, which a wrong clock may have raised. */
export function withTimeCorrected(state: ProductState, timeS: number, nowMs: number): ProductState {
  const memory = { ...state.memory, clockFloorS: timeS };
  return { ...state, memory, rtc: { timeS, setMs: nowMs }, clockNonces: [] };
}

/** Stores what is due: the time once an hour, so that a clock that fails cannot be set far back, and the uptime of the budget. */
export function withClockStored(state: ProductState, nowMs: number): ProductState {
  return withStoredFloor(withStoredQuiet(state, nowMs), nowMs);
}

/** Returns when the clock has something to store next; null: nothing. */
export function clockDueMs(state: ProductState): number | null {
  const due = [floorDueMs(state), quietDueMs(state)].filter((dueMs) => dueMs !== null);
  return due.length === 0 ? null : Math.min(...due);
}

/**
 * The time that `set_time` to `timeS` sets the clock to; null when the token or the budget does not allow it.
 * A valid clock, against which the token's window was already checked, moves towards the given time as far as the budget goes. A clock
 * that lost the time accepts any time in the token's window that is not below the floor.
 */
export function decideSetTime(
  state: ProductState,
  { token, timeS, nowMs }: { token: Token; timeS: number; nowMs: number },
): number | null {
  const presentS = rtcNowS(state, nowMs);
  const { clockFloorS, clockMoves } = state.memory;
  if (presentS === null) return isInTokenWindow(token, timeS) && timeS >= clockFloorS ? timeS : null;
  if (token.slot === SLOTS.installer) return null;
  const leftS = CLOCK_BUDGET_S - clockMoves.movedS;
  const lowestS = Math.min(presentS, Math.max(presentS - leftS, clockFloorS - CLOCK_BUDGET_S));
  const allowedS = Math.max(lowestS, Math.min(presentS + leftS, timeS));
  return allowedS === presentS && timeS !== presentS ? null : allowedS;
}

/** Notes an exchange of the cloud or a gateway. @param productNonce its Np */
export function withClockNonce(state: ProductState, productNonce: Uint8Array, nowMs: number): ProductState {
  const noted = [...state.clockNonces, { nonce: clockNonceOf(productNonce), atMs: nowMs }];
  return { ...state, clockNonces: noted.slice(-NONCES_MAX) };
}

/** Says whether a `clock` record with this nonce was made in the last minutes. */
export function isClockNonceNew({ clockNonces }: ProductState, nonce: number, nowMs: number): boolean {
  return clockNonces.some((known) => known.nonce === nonce && nowMs - known.atMs <= CLOCK_NONCE_LIFE_MS);
}

function highestS(state: ProductState, nowMs: number, timeS: number): number {
  return Math.max(state.memory.clockFloorS, rtcNowS(state, nowMs) ?? 0, timeS);
}

function withStoredFloor(state: ProductState, nowMs: number): ProductState {
  const dueMs = floorDueMs(state);
  const timeS = rtcNowS(state, nowMs);
  if (dueMs === null || timeS === null || nowMs < dueMs) return state;
  return { ...state, memory: { ...state.memory, clockFloorS: timeS } };
}

/** null when there is no time, or no higher one. */
function floorDueMs({ rtc, memory }: ProductState): number | null {
  const dueS = memory.clockFloorS + FLOOR_STORED_EVERY_S;
  return rtc === null || dueS > TIME_MAX_S ? null : rtc.setMs + (dueS - rtc.timeS) * 1000;
}

function withStoredQuiet(state: ProductState, nowMs: number): ProductState {
  const { memory, quietFromMs } = state;
  const steps = Math.floor((nowMs - quietFromMs) / (QUIET_STEP_S * 1_000));
  if (memory.clockMoves.movedS === 0 || steps === 0) return state;
  const quietS = memory.clockMoves.quietS + steps * QUIET_STEP_S;
  const clockMoves = quietS >= QUIET_S ? NOT_MOVED : { ...memory.clockMoves, quietS };
  return { ...state, memory: { ...memory, clockMoves }, quietFromMs: quietFromMs + steps * QUIET_STEP_S * 1_000 };
}

/** null: the budget is whole. */
function quietDueMs({ memory, quietFromMs }: ProductState): number | null {
  return memory.clockMoves.movedS === 0 ? null : quietFromMs + QUIET_STEP_S * 1_000;
}

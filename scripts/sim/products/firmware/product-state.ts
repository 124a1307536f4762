/** The state of a product: its memory, which survives a loss of power, and the rest, which does not. */
import type { GatewayErrorType } from '../../../../shared/errors.js';
import { GATEWAY_ERROR } from '../../../../shared/gateway-error-types.js';
import type { ProductDeviceId, ProductType } from '../../../../shared/ids.js';
import type { Movement } from '../../../../shared/product-protocol/commands.js';
import type { AnswerSeal } from '../../../../shared/product-protocol/exchange-crypto.js';
import { deriveProductKeys, type PairingIdentity, type ProductKeys } from '../../../../shared/product-protocol/keys.js';
import type { ProtocolCrypto } from '../../../../shared/product-protocol/protocol-crypto.js';
import {
  type BlockResult,
  type ConditionState,
  ERROR_BITS,
  type ErrorBit,
  type PermanentPosition,
  type ProductCondition,
  type StatusBlock,
} from '../../../../shared/product-protocol/status-block.js';
import { SLOT_COUNT } from '../../../../shared/product-protocol/token-codec.js';

/** An executed movement or setting; `result` null while it moves. */
export interface RememberedCommand {
  key: string;
  result: FinalResult | null;
}

export type FinalResult = Exclude<BlockResult, { kind: 'in_progress' }>;

export interface ProductMemory {
  readonly deviceId: ProductDeviceId;
  readonly type: ProductType;
  /** 32 bytes; null: not paired. */
  readonly masterKey: Uint8Array | null;
  /** The pairing epoch of the last pairing, even after it ended: the next one must be higher. */
  readonly pairingEpoch: number;
  /** By slot. 256 is beyond what a token can carry: no token of the slot works until the product is paired again. */
  readonly gens: readonly number[];
  readonly deniedIds: readonly { id: number; expiresS: number }[];
  /** Seconds since 1970: the latest end of the denied ids that were forgotten; 0: none was. */
  readonly forgottenDeniedEndS: number;
  /** Serial of the last admin record applied, and its answer; serial 0: none yet. */
  readonly lastAdmin: { serial: number; result: FinalResult };
  readonly remembered: readonly RememberedCommand[];
  /** Seconds since 1970: the highest time that was stored. */
  readonly clockFloorS: number;
  /** By how much `set_time` moved the valid clock in all, and for how long it has been left alone since, in seconds of uptime. */
  readonly clockMoves: { movedS: number; quietS: number };
  /** `unknown` from the start of each movement to its end, so that a loss of power leaves no wrong position. */
  readonly position: Exclude<ConditionState, 'moving' | 'reserved' | 'disabled'>;
  readonly permanentPosition: PermanentPosition;
  readonly autoClose: { on: boolean; seconds: number };
  readonly changeCounter: number;
  /** Advertisements up to this number may have been sent. */
  readonly advSeqReserved: number;
}

export interface ProductSensors {
  carOnTop: boolean;
  dirty: boolean;
  /** The last attempt to move was stopped by something. */
  jammed: boolean;
  pinBroken: boolean;
  /** 0..100 percent; null: not known. */
  battery: number | null;
}

/** A command that the running movement carries out. */
export interface MovementOrder {
  /** Key of the remembered command. */
  key: string;
  setsPosition: Movement['setsPosition'];
  /** The result with which it ends although the movement arrives, because that goes back from a car; null: ok. */
  failure: Extract<GatewayErrorType, 6> | null;
}

export interface RunningMovement {
  target: Movement['target'];
  /** The command that began it and those that joined it; none: the product's own auto-close. */
  orders: readonly MovementOrder[];
  startedMs: number;
}

/** An answer and the number of its next block. */
export interface Answer {
  seal: AnswerSeal;
  counter: number;
}

/** An answer that is due when the movement of the command with this key ends. */
export interface AwaitedAnswer extends Answer {
  key: string;
}

export interface ProductLink {
  openedMs: number;
  lastActivityMs: number;
  /** A REQUEST with a valid mac has come. */
  isProven: boolean;
  challenge: { hello: Uint8Array; bytes: Uint8Array; productNonce: Uint8Array; issuedMs: number } | null;
  /** The answers over this link that will carry the running movement's result. */
  awaiting: readonly AwaitedAnswer[];
  /** Until when the product waits for the answer to its pairing offer; null: it sent none over this link. */
  offerUntilMs: number | null;
}

export interface ProductState {
  readonly memory: ProductMemory;
  /** Derived from the master key; null: not paired. */
  readonly keys: ProductKeys | null;
  /** The real-time clock as seconds since 1970 at a moment of the caller's clock; null: not valid. */
  readonly rtc: { timeS: number; setMs: number } | null;
  /** The uptime from this moment on is not yet in `memory.clockMoves.quietS`. */
  readonly quietFromMs: number;
  /** The last exchanges of cloud and gateways, by which a `clock` record shows that it is new (`clockNonceOf`). */
  readonly clockNonces: readonly { nonce: number; atMs: number }[];
  readonly sensors: ProductSensors;
  readonly movement: RunningMovement | null;
  readonly link: ProductLink | null;
  /** When auto-close is due; null: it is not. */
  readonly autoCloseAtMs: number | null;
  /** When the pairing window shuts; null: it is not open. */
  readonly pairingUntilMs: number | null;
  readonly advSeq: number;
}

/** The budget of `set_time` is whole. */
export const NOT_MOVED: ProductMemory['clockMoves'] = { movedS: 0, quietS: 0 };

/** At or below this charge the product reports `battery_empty`. */
const BATTERY_EMPTY_PERCENT = 5;

/** A product as it leaves the factory. `autoClose.seconds`: 1..255. */
export function newProductMemory(options: {
  deviceId: ProductDeviceId;
  type: ProductType;
  position: ProductMemory['position'];
  autoClose: { on: boolean; seconds: number };
}): ProductMemory {
  return {
    ...options,
    masterKey: null,
    pairingEpoch: 0,
    ...clearedByPairing(),
    clockFloorS: 0,
    clockMoves: NOT_MOVED,
    permanentPosition: 'disabled',
    changeCounter: 0,
    advSeqReserved: 0,
  };
}

/** The memory after a pairing: nothing of an earlier pairing stays valid. */
export function pairMemory(
  memory: ProductMemory,
  { masterKey, pairingEpoch }: { masterKey: Uint8Array; pairingEpoch: number },
): ProductMemory {
  return { ...memory, masterKey, pairingEpoch, ...clearedByPairing() };
}

function clearedByPairing(): Pick<
  ProductMemory,
  'gens' | 'deniedIds' | 'forgottenDeniedEndS' | 'lastAdmin' | 'remembered'
> {
  return {
    gens: Array.from({ length: SLOT_COUNT }, () => 0),
    deniedIds: [],
    forgottenDeniedEndS: 0,
    lastAdmin: { serial: 0, result: { kind: 'ok' } },
    remembered: [],
  };
}

/**
 * Starts a product that has power again. It cannot know whether the command that ran when the power failed succeeded: that
 * command's remembered result is 11.
 * @param options.rtc null: the clock lost the time
 * @param options.nowMs now, on the clock of the machine's inputs
 */
export function powerUpProduct(
  crypto: ProtocolCrypto,
  options: { memory: ProductMemory; rtc: ProductState['rtc']; sensors: ProductSensors; nowMs: number },
): ProductState {
  const { rtc, sensors, nowMs } = options;
  const memory: ProductMemory = {
    ...options.memory,
    remembered: options.memory.remembered.map(({ key, result }) => ({
      key,
      result: result ?? { kind: 'error', type: GATEWAY_ERROR.UNKNOWN },
    })),
  };
  return {
    memory,
    keys: keysOf(crypto, memory),
    rtc,
    quietFromMs: nowMs,
    clockNonces: [],
    sensors,
    movement: null,
    link: null,
    autoCloseAtMs: null,
    pairingUntilMs: null,
    advSeq: memory.advSeqReserved,
  };
}

/** null: not paired. */
export function keysOf(crypto: ProtocolCrypto, memory: ProductMemory): ProductKeys | null {
  if (memory.masterKey === null) return null;
  return deriveProductKeys(crypto, { masterKey: memory.masterKey, ...identityOf(memory) });
}

export function identityOf({ deviceId, pairingEpoch }: ProductMemory): PairingIdentity {
  return { deviceId, pairingEpoch };
}

/** Builds the product's report of itself, in STATUS and advertisement alike. */
export function conditionOf(state: ProductState): ProductCondition {
  const { memory, sensors } = state;
  const errors: Record<ErrorBit, boolean> = {
    jammed: sensors.jammed,
    sensor_dirty: sensors.dirty,
    pin_broken: sensors.pinBroken,
    rtcc_invalid: state.rtc === null,
    battery_empty: sensors.battery !== null && sensors.battery <= BATTERY_EMPTY_PERCENT,
    master_key_not_set: memory.masterKey === null,
  };
  const bits = Object.entries(ERROR_BITS).filter(([name]) => errors[name as ErrorBit]);
  return {
    state: state.movement === null ? memory.position : 'moving',
    carOnTop: sensors.carOnTop,
    autoClose: isAutoCloseOn(memory),
    permanentPosition: memory.permanentPosition,
    errors: bits.reduce((sum, [, bit]) => sum | bit, 0),
    battery: sensors.battery,
  };
}

export function statusBlockOf(state: ProductState, result: BlockResult): StatusBlock {
  return {
    result,
    ...conditionOf(state),
    autocloseS: state.memory.autoClose.seconds,
    changeCounter: state.memory.changeCounter,
  };
}

/** A permanent position switches auto-close off until it is cleared. */
export function isAutoCloseOn({ autoClose, permanentPosition }: ProductMemory): boolean {
  return autoClose.on && permanentPosition === 'disabled';
}

/** Encodes what a product reports of itself: the condition, which is a part of its advertisement and its STATUS, and the STATUS block. */
import { type GatewayErrorType, isGatewayErrorType } from '../errors.js';
import { GATEWAY_ERROR } from '../gateway-error-types.js';
import { concatBytes, readUint, uintBytes } from './bytes.js';

/** The index is the value of the state byte. */
export const CONDITION_STATES = ['unknown', 'opened', 'closed', 'moving', 'error', 'reserved', 'disabled'] as const;
export type ConditionState = (typeof CONDITION_STATES)[number];

/** The index is the value in the message. The names are those of the interface (specification, "ProductBlock"). */
const PERMANENT_POSITION_CODES = ['disabled', 'stay_open', 'stay_close'] as const;
export type PermanentPosition = (typeof PERMANENT_POSITION_CODES)[number];

/** The bits of the errors byte, by their names in the interface (specification, "ProductError"). */
export const ERROR_BITS = {
  jammed: 0x01,
  sensor_dirty: 0x02,
  pin_broken: 0x04,
  rtcc_invalid: 0x08,
  battery_empty: 0x10,
  master_key_not_set: 0x20,
} as const;
export type ErrorBit = keyof typeof ERROR_BITS;

export interface ProductCondition {
  state: ConditionState;
  carOnTop: boolean;
  autoClose: boolean;
  permanentPosition: PermanentPosition;
  /** A combination of ERROR_BITS. */
  errors: number;
  /** 0..100 percent; null: not known. */
  battery: number | null;
}

export type BlockResult = { kind: 'ok' } | { kind: 'in_progress' } | { kind: 'error'; type: GatewayErrorType };

export interface StatusBlock extends ProductCondition {
  result: BlockResult;
  /** Seconds, 0..255. */
  autocloseS: number;
  /** u16. It changes whenever any part of the condition changes. */
  changeCounter: number;
}

export const CONDITION_LENGTH = 4;
export const STATUS_BLOCK_LENGTH = 8;
const RESULT_OK = 0x00;
const RESULT_ERROR = 0x10;
const RESULT_IN_PROGRESS = 0xff;
const BATTERY_UNKNOWN = 0xff;
const BATTERY_PERCENT_MAX = 100;
const CAR_ON_TOP = 0x01;
const AUTO_CLOSE = 0x02;

/** `state flags errors battery` */
export function encodeCondition(condition: ProductCondition): Uint8Array {
  const flags =
    (condition.carOnTop ? CAR_ON_TOP : 0) |
    (condition.autoClose ? AUTO_CLOSE : 0) |
    (PERMANENT_POSITION_CODES.indexOf(condition.permanentPosition) << 2);
  return concatBytes(
    Uint8Array.of(CONDITION_STATES.indexOf(condition.state), flags),
    uintBytes(condition.errors, 1),
    uintBytes(condition.battery ?? BATTERY_UNKNOWN, 1),
  );
}

/**
 * Decodes a condition. Values that this version does not know become `unknown`, `disabled` and null. They are authentic, and the answer of a
 * newer product must remain usable.
 * @param bytes at least CONDITION_LENGTH of them from the offset on
 */
export function decodeCondition(bytes: Uint8Array, offset: number): ProductCondition {
  const flags = readUint(bytes, offset + 1, 1);
  const battery = readUint(bytes, offset + 3, 1);
  return {
    state: CONDITION_STATES[readUint(bytes, offset, 1)] ?? 'unknown',
    carOnTop: (flags & CAR_ON_TOP) !== 0,
    autoClose: (flags & AUTO_CLOSE) !== 0,
    permanentPosition: PERMANENT_POSITION_CODES[(flags >> 2) & 3] ?? 'disabled',
    errors: readUint(bytes, offset + 2, 1),
    battery: battery <= BATTERY_PERCENT_MAX ? battery : null,
  };
}

export function encodeStatusBlock(block: StatusBlock): Uint8Array {
  return concatBytes(
    Uint8Array.of(encodeResult(block.result)),
    encodeCondition(block),
    uintBytes(block.autocloseS, 1),
    uintBytes(block.changeCounter, 2),
  );
}

/** Decodes the block; null only for a wrong length. An unknown result becomes the error type UNKNOWN. */
export function decodeStatusBlock(bytes: Uint8Array): StatusBlock | null {
  if (bytes.length !== STATUS_BLOCK_LENGTH) return null;
  return {
    result: decodeResult(readUint(bytes, 0, 1)),
    ...decodeCondition(bytes, 1),
    autocloseS: readUint(bytes, 5, 1),
    changeCounter: readUint(bytes, 6, 2),
  };
}

/** Returns the bits of the errors byte by name. */
export function errorBits(errors: number): Record<ErrorBit, boolean> {
  const has = (bit: ErrorBit) => (errors & ERROR_BITS[bit]) !== 0;
  return {
    jammed: has('jammed'),
    sensor_dirty: has('sensor_dirty'),
    pin_broken: has('pin_broken'),
    rtcc_invalid: has('rtcc_invalid'),
    battery_empty: has('battery_empty'),
    master_key_not_set: has('master_key_not_set'),
  };
}

function encodeResult(result: BlockResult): number {
  switch (result.kind) {
    case 'ok':
      return RESULT_OK;
    case 'in_progress':
      return RESULT_IN_PROGRESS;
    case 'error':
      return RESULT_ERROR + result.type;
  }
}

function decodeResult(code: number): BlockResult {
  if (code === RESULT_OK) return { kind: 'ok' };
  if (code === RESULT_IN_PROGRESS) return { kind: 'in_progress' };
  const type = code - RESULT_ERROR;
  return { kind: 'error', type: isGatewayErrorType(type) ? type : GATEWAY_ERROR.UNKNOWN };
}

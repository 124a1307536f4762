import type { GatewayErrorType } from './errors.js';

/** The types of the `gateway_error` event by name; `GATEWAY_ERROR_MESSAGES` has their messages. */
export const GATEWAY_ERROR = {
  AUTH: 0,
  INVALID_KEY: 1,
  DISCONNECTED: 2,
  BLUETOOTH: 3,
  NOT_FOUND: 4,
  JAMMED: 5,
  CAR_ON_TOP: 6,
  SENSOR_DIRTY: 7,
  NOT_INITIALIZED: 8,
  CLOCK_NOT_SET: 9,
  BUSY: 10,
  UNKNOWN: 11,
} as const satisfies Record<string, GatewayErrorType>;

/** The types by which a gateway says that it did not reach the product, which may have acted all the same. */
export const isUndelivered = (type: number): boolean =>
  [GATEWAY_ERROR.DISCONNECTED, GATEWAY_ERROR.BLUETOOTH, GATEWAY_ERROR.NOT_FOUND].some((each) => each === type);

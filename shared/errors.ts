/** The error codes of the REST interface and the error types of the `gateway_error` event. They are two separate vocabularies. */

/** Code -> HTTP status and meaning, as in the specification's table of errors (413, 429 and 500 by the REST contract). */
export const ERROR_TABLE = {
  1: { status: 401, message: 'Unauthorized access: log in again' },
  4: { status: 403, message: 'No permission' },
  6: { status: 404, message: 'Resource not found' },
  8: { status: 403, message: 'Wrong email/password combination' },
  9: { status: 403, message: 'Email not confirmed' },
  23: { status: 422, message: 'Validation error' },
  30: { status: 403, message: 'Subscription does not include remote control for the product' },
  40: { status: 503, message: 'Message to the remote device timed out' },
  214: { status: 403, message: 'An earlier operation on the device has not finished' },
  429: { status: 429, message: 'Too many requests: wait as Retry-After says' },
  500: { status: 500, message: 'Internal error' },
  704: { status: 403, message: 'No Gateway has seen the device recently' },
  1000: { status: 400, message: 'Cannot move to different lot' },
} as const satisfies Record<number, { status: number; message: string }>;

export type ErrorCode = keyof typeof ERROR_TABLE;

/** One entry of the envelope's `errors`. */
export interface ErrorEntry {
  code: number;
  message: string;
  field?: string;
}

export interface ErrorEnvelope {
  success: false;
  errors: ErrorEntry[];
}

/** An answer of the REST interface that is not a success; the HTTP layer turns it into the envelope. */
export class ApiError extends Error {
  readonly status: number;
  readonly errors: ErrorEntry[];

  constructor(code: ErrorCode, options: { message?: string; field?: string; status?: number; cause?: unknown } = {}) {
    const { status, message } = ERROR_TABLE[code];
    super(options.message ?? message, { cause: options.cause });
    this.name = 'ApiError';
    this.status = options.status ?? status;
    this.errors = [{ code, message: this.message, ...(options.field === undefined ? {} : { field: options.field }) }];
  }

  /** A validation error over several fields: all are told at once. */
  static validation(fields: { field: string; message: string }[]): ApiError {
    const error = new ApiError(23);
    error.errors.splice(0, 1, ...fields.map(({ field, message }) => ({ code: 23, message, field })));
    return error;
  }

  envelope(): ErrorEnvelope {
    return { success: false, errors: this.errors };
  }
}

/** `gateway_error` types and their messages, as in the specification. */
export const GATEWAY_ERROR_MESSAGES = {
  0: 'Auth error',
  1: 'Invalid guest key',
  2: 'Device disconnected',
  3: 'Bluetooth error',
  4: 'Device not found',
  5: 'Device jammed',
  6: 'Car on top',
  7: 'Sensor dirty',
  8: 'Device not initialized',
  9: 'Rtcc not set',
  10: 'Device busy',
  11: 'Unknown error',
} as const;

export type GatewayErrorType = keyof typeof GATEWAY_ERROR_MESSAGES;

/** Types that speak of the link, not of the product: another gateway, or another try, may do better. */
export const LINK_ERROR_TYPES: ReadonlySet<GatewayErrorType> = new Set([2, 3, 4, 10]);

export function isGatewayErrorType(value: number): value is GatewayErrorType {
  return Number.isInteger(value) && value >= 0 && value <= 11;
}

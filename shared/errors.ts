/** The error codes of the REST interface and the error types of the `gateway_error` event. They are two separate vocabularies. */

/** The error codes by name. */
export const UNAUTHORIZED = 1 as const;
export const NO_PERMISSION = 4 as const;
export const NOT_FOUND = 6 as const;
export const WRONG_CREDENTIALS = 8 as const;
export const EMAIL_NOT_CONFIRMED = 9 as const;
export const VALIDATION = 23 as const;
export const NO_REMOTE_CONTROL = 30 as const;
export const DEVICE_TIMED_OUT = 40 as const;
export const OPERATION_UNFINISHED = 214 as const;
export const TOO_MANY_REQUESTS = 429 as const;
export const INTERNAL = 500 as const;
export const NOT_SEEN_RECENTLY = 704 as const;
export const LOT_CHANGE_REFUSED = 1000 as const;

/** HTTP status and meaning of each code, as in the specification's table of errors (413, 429 and 500 by the REST contract). */
export const ERROR_TABLE = {
  [UNAUTHORIZED]: { status: 401, message: 'Unauthorized access: log in again' },
  [NO_PERMISSION]: { status: 403, message: 'No permission' },
  [NOT_FOUND]: { status: 404, message: 'Resource not found' },
  [WRONG_CREDENTIALS]: { status: 403, message: 'Wrong email/password combination' },
  [EMAIL_NOT_CONFIRMED]: { status: 403, message: 'Email not confirmed' },
  [VALIDATION]: { status: 422, message: 'Validation error' },
  [NO_REMOTE_CONTROL]: { status: 403, message: 'Subscription does not include remote control for the product' },
  [DEVICE_TIMED_OUT]: { status: 503, message: 'Message to the remote device timed out' },
  [OPERATION_UNFINISHED]: { status: 403, message: 'An earlier operation on the device has not finished' },
  [TOO_MANY_REQUESTS]: { status: 429, message: 'Too many requests: wait as Retry-After says' },
  [INTERNAL]: { status: 500, message: 'Internal error' },
  [NOT_SEEN_RECENTLY]: { status: 403, message: 'No Gateway has seen the device recently' },
  [LOT_CHANGE_REFUSED]: { status: 400, message: 'Cannot move to different lot' },
} as const satisfies Record<number, { status: number; message: string }>;

export type ErrorCode = keyof typeof ERROR_TABLE;

/** One entry of the envelope's `errors`. */
export interface ErrorEntry {
  code: number;
  message: string;
  field?: string;
}

/** How many errors one answer contains at most. */
export const ERRORS_MAX = 20;

export interface ErrorEnvelope {
  success: false;
  errors: ErrorEntry[];
}

/** A REST answer that is not a success; the HTTP layer writes it as the envelope. */
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

  /** A validation error for several fields. Beyond `ERRORS_MAX` it lists the first ones and says how many more there are. */
  static validation(fields: { field: string; message: string }[]): ApiError {
    const error = new ApiError(VALIDATION);
    const named = fields.length > ERRORS_MAX ? fields.slice(0, ERRORS_MAX - 1) : fields;
    const entries = named.map(({ field, message }) => ({ code: VALIDATION, message, field }));
    const more = { code: VALIDATION, message: `And ${fields.length - named.length} more`, field: 'body' };
    error.errors.splice(0, 1, ...entries, ...(named === fields ? [] : [more]));
    return error;
  }

  envelope(): ErrorEnvelope {
    return { success: false, errors: this.errors };
  }
}

/** `gateway_error` types and their messages (specification, "Types of gateway_error"). */
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

/** Error types that concern the Bluetooth link and not the product: another gateway or another attempt may succeed. */
export const LINK_ERROR_TYPES: ReadonlySet<GatewayErrorType> = new Set([2, 3, 4, 10]);

export function isGatewayErrorType(value: number): value is GatewayErrorType {
  return Number.isInteger(value) && value >= 0 && value <= 11;
}

import { ApiError, type ErrorCode } from '../../shared/errors.js';

/** An error whose answer carries `Retry-After`. */
export class RetryLaterError extends ApiError {
  readonly retryAfterS: number;

  constructor(code: ErrorCode, options: { retryAfterS: number; message?: string }) {
    super(code, options.message === undefined ? {} : { message: options.message });
    this.name = 'RetryLaterError';
    this.retryAfterS = options.retryAfterS;
  }
}

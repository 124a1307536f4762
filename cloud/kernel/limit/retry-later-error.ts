import { ApiError, type ErrorCode } from '../../../shared/errors.js';

/** An error whose answer carries `Retry-After`. */
export class RetryLaterError extends ApiError {
  readonly retryAfterS: number;

  constructor(code: ErrorCode, options: { retryAfterS: number; message?: string; status?: number; cause?: unknown }) {
    super(code, options);
    this.name = 'RetryLaterError';
    this.retryAfterS = options.retryAfterS;
  }
}

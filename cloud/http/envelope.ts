/** The envelope of every answer: `{success: true, data}` or `{success: false, errors}`. */
import type { Context } from 'hono';
import { HTTPException } from 'hono/http-exception';
import { ApiError } from '../../shared/errors.js';
import type { Logger } from '../../shared/logger.js';
import { RetryLaterError } from '../auth/retry-later-error.js';
import type { HttpEnv } from './http-env.js';

const JSON_TYPE = { 'Content-Type': 'application/json' };

export function successResponse(c: Context<HttpEnv>, data: unknown): Response {
  return c.body(`{"success":true,"data":${JSON.stringify(data)}}`, 200, JSON_TYPE);
}

/** Turns what a handler threw into its answer. What nobody expected is logged here, and tells the client nothing but the request id. */
export function errorResponse(c: Context<HttpEnv>, error: unknown, logger: Logger): Response {
  const known = error instanceof ApiError ? error : fromException(error);
  if (known === null || known.status >= 500) {
    logger.error(
      { err: error, request_id: c.get('requestId'), method: c.req.method, path: c.req.path },
      'Request failed',
    );
  }
  const answer = known ?? new ApiError(500);
  if (answer instanceof RetryLaterError) c.header('Retry-After', String(answer.retryAfterS));
  return c.body(JSON.stringify(answer.envelope()), answer.status as 500, JSON_TYPE);
}

/** An exception of the HTTP framework itself: its status with the code of that status. */
function fromException(error: unknown): ApiError | null {
  if (!(error instanceof HTTPException)) return null;
  return error.status >= 500 ? null : new ApiError(23, { status: error.status, message: error.message });
}

/** The envelope of every answer: `{success: true, data}`, with `meta` for lists, or `{success: false, errors}`. */
import type { Context } from 'hono';
import { HTTPException } from 'hono/http-exception';
import { ApiError, INTERNAL, VALIDATION } from '../../shared/errors.js';
import type { Logger } from '../../shared/logger.js';
import { QueueFullError } from '../../shared/limited-queue.js';
import { RetryLaterError } from '../limit/retry-later-error.js';
import type { ListMeta } from '../list/list-meta-payload.js';
import type { HttpEnv } from './http-env.js';

/** The `Retry-After` when too much work waits. */
const OVERLOAD_RETRY_S = 1;

const JSON_TYPE = { 'Content-Type': 'application/json' };

/** @param data as JSON text */
export function successResponse(c: Context<HttpEnv>, data: string): Response {
  return c.body(`{"success":true,"data":${data}}`, 200, JSON_TYPE);
}

/** @param data as JSON text, an array */
export function listResponse(c: Context<HttpEnv>, data: string, meta: ListMeta): Response {
  return c.body(`{"success":true,"meta":${JSON.stringify(meta)},"data":${data}}`, 200, JSON_TYPE);
}

/** Turns what a handler threw into its answer. An unexpected error is logged here, and its answer has nothing but the request id. */
export function errorResponse(c: Context<HttpEnv>, error: unknown, logger: Logger): Response {
  const known = knownError(error);
  if (known === null || known.status >= 500) {
    logger.error(
      { err: error, request_id: c.get('requestId'), method: c.req.method, path: c.req.path },
      'Request failed',
    );
  }
  const answer = known ?? new ApiError(INTERNAL);
  if (answer instanceof RetryLaterError) c.header('Retry-After', String(answer.retryAfterS));
  return c.body(JSON.stringify(answer.envelope()), answer.status as 500, JSON_TYPE);
}

function knownError(error: unknown): ApiError | null {
  if (error instanceof ApiError) return error;
  if (error instanceof QueueFullError) return new RetryLaterError(429, { retryAfterS: OVERLOAD_RETRY_S });
  // The HTTP framework itself threw this: the answer has its status, and the code of bad input.
  if (error instanceof HTTPException && error.status < 500) {
    return new ApiError(VALIDATION, { status: error.status, message: error.message });
  }
  return null;
}

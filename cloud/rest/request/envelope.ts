/** The envelope of every answer: `{success: true, data}`, with `meta` for lists, or `{success: false, errors}`. */
import type { Context } from 'hono';
import { HTTPException } from 'hono/http-exception';
import type { BoundedLog } from '../../../shared/bounded-log.js';
import { ApiError, INTERNAL, VALIDATION } from '../../../shared/errors.js';
import { QueueFullError } from '../../../shared/flow/semaphore.js';
import { databaseFault, StoreError } from '../../kernel/store/entry.js';
import { RetryLaterError } from '../../kernel/limit/entry.js';
import type { ListMeta } from '../list/list-meta-payload.js';
import type { HttpEnv } from './http-env.js';
import { addHeader, reply, replyJson, replyPieces } from './reply.js';
import { errorText } from '../../../shared/error-text.js';

/** The `Retry-After` when too much work waits. */
const OVERLOAD_RETRY_S = 1;
/** The same when a report took too long. */
const REPORT_RETRY_S = 10;

/** @param data as JSON text */
export function successResponse(c: Context<HttpEnv>, data: string): Response | Promise<Response> {
  return replyJson(c, `{"success":true${daysOf(c)}${warningsOf(c)},"data":${data}}`);
}

/** @param pieces of `data`, as JSON text */
export function successPieces(c: Context<HttpEnv>, pieces: AsyncIterable<string>): Response {
  async function* enveloped(): AsyncGenerator<string> {
    yield `{"success":true${daysOf(c)},"data":`;
    yield* pieces;
    yield '}';
  }
  return replyPieces(c, enveloped(), { headers: { 'Content-Type': 'application/json' }, mayPack: true });
}

/** @param data as JSON text, an array */
export function listResponse(c: Context<HttpEnv>, data: string, meta: ListMeta): Response | Promise<Response> {
  return replyJson(c, `{"success":true,"meta":${JSON.stringify(meta)}${daysOf(c)},"data":${data}}`);
}

/** Whose days the bare dates of the request were. */
function daysOf(c: Context<HttpEnv>): string {
  const timezone = c.get('timezone');
  return timezone === undefined ? '' : `,"timezone":${JSON.stringify(timezone)}`;
}

function warningsOf(c: Context<HttpEnv>): string {
  const warnings = c.get('warnings') ?? [];
  return warnings.length === 0 ? '' : `,"warnings":${JSON.stringify(warnings)}`;
}

/** The `#` of a link, escaped on its way, perhaps more than once. */
const ESCAPED_FRAGMENT = /%(25)*23.*$/s;

/**
 * What a log says of the request's path. A query may hold a signature or a token, and so may a path: then the log has it as it was declared.
 * What stood behind the `#` of a link is a token, on whichever path it comes.
 */
export function loggedPath(c: Context<HttpEnv>): string {
  const route = c.get('route');
  return route?.includes('{token}') ? route : c.req.path.replace(ESCAPED_FRAGMENT, '%23…');
}

/**
 * Turns what a handler threw into its answer. An unexpected error is logged here, and its answer has nothing but the request id.
 * @param failures by endpoint: whoever finds a request that fails can repeat it
 */
export function errorResponse(c: Context<HttpEnv>, error: unknown, failures: BoundedLog): Response {
  const known = knownError(error);
  // What is refused for now is counted by the measurements: as a line in the log it would be as much as anybody cares to ask.
  const isRefused = known instanceof RetryLaterError && databaseFault(error) === null;
  if (known === null || (known.status >= 500 && !isRefused)) {
    failures
      .from(c.get('route'))
      .error(
        { err: error, request_id: c.get('requestId'), method: c.req.method, path: loggedPath(c) },
        'Request failed',
      );
  }
  const answer = known ?? new ApiError(INTERNAL);
  if (answer instanceof RetryLaterError) addHeader(c, 'Retry-After', String(answer.retryAfterS));
  if (answer.status === 401) addHeader(c, 'WWW-Authenticate', 'Bearer');
  return reply(c, {
    status: answer.status,
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(answer.envelope()),
  });
}

/** What an error that was thrown somewhere is answered; null: nobody expected it. */
export function knownError(error: unknown): ApiError | null {
  if (error instanceof ApiError) return error;
  const fault = databaseFault(error);
  if (fault !== null) return new RetryLaterError(INTERNAL, { status: 503, ...fault, cause: error });
  if (error instanceof QueueFullError) return new RetryLaterError(429, { retryAfterS: OVERLOAD_RETRY_S });
  if (error instanceof StoreError && error.code === 'stopped') {
    return new RetryLaterError(INTERNAL, { status: 503, message: errorText(error), retryAfterS: REPORT_RETRY_S });
  }
  // The HTTP framework itself threw this: the answer has its status, and the code of bad input.
  if (error instanceof HTTPException && error.status < 500) {
    return new ApiError(VALIDATION, { status: error.status, message: errorText(error) });
  }
  return null;
}

/** The common part of the endpoints under `/api`: reads bodies, and reports faults. */
import type { Context } from 'hono';
import type { z } from 'zod';
import { readSmallBody } from '../../shared/node/request-body.js';

const BODY_BYTES_MAX = 4 * 1024;

export type RefusalStatus = 401 | 403 | 404 | 409 | 413 | 415 | 422 | 429 | 503;

/** One thing that is wrong, for people; `field` of the body, where it is one field's. */
interface ApiProblem {
  message: string;
  field?: string;
}

/** `{errors: [{message, field?}]}`. @param options.retryAfterS whole seconds after which it may be tried again */
export function refuse(
  context: Context,
  status: RefusalStatus,
  problem: string | readonly ApiProblem[],
  options: { retryAfterS?: number } = {},
): Response {
  const { retryAfterS } = options;
  if (retryAfterS !== undefined) context.header('Retry-After', String(retryAfterS));
  return context.json({ errors: typeof problem === 'string' ? [{ message: problem }] : problem }, status);
}

/** Reads a body of at most 4 KiB. Returns the answer that refuses one that is too large, not JSON, or not of the schema. */
export async function readBody<Body>(context: Context, schema: z.ZodType<Body>): Promise<Body | Response> {
  const bytes = await readSmallBody(context, BODY_BYTES_MAX);
  if (bytes === 413) return refuse(context, 413, `The body must have at most ${BODY_BYTES_MAX} bytes`);
  if (bytes === 415) return refuse(context, 415, 'The body must be sent as it is, or with Content-Encoding: gzip');
  if (bytes === 400) return refuse(context, 422, 'The body did not arrive whole: send it again');
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(bytes).toString('utf8'));
  } catch {
    return refuse(context, 422, 'The body must be JSON');
  }
  const body = schema.safeParse(value);
  if (body.success) return body.data;
  return refuse(context, 422, problemsOf(body.error));
}

/** Describes the faults of a body or a query by its schema. */
export const problemsOf = ({ issues }: z.ZodError): ApiProblem[] =>
  issues.map(({ message, path }) => (path.length === 0 ? { message } : { message, field: path.map(String).join('.') }));

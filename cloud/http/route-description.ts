/** An endpoint as the OpenAPI document shows it, made of the schemas that validate it. */
import { createRoute, type RouteConfig, z } from '@hono/zod-openapi';
import { ERROR_TABLE, type ErrorCode } from '../../shared/errors.js';
import type { Access } from './authentication.js';

export interface RouteDescription {
  method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** With `{name}` parameters; each is a numeric id. */
  path: string;
  summary: string;
  tag: string;
  body?: z.ZodType;
  query?: z.ZodType;
  /** The schema of `data`; of the whole answer where it is sent as it is. */
  answer: z.ZodType;
  /** What the answer is sent as, when not as `data` in its envelope: with `meta` beside it, as a CSV file, or bare. */
  sent?: 'list' | 'csv' | 'bare';
  /**
   * Of a POST that is sent again with the same `Idempotency-Key`: it is answered as the first time, unless it takes no key
   * (`anew`), or does the same and answers the same by itself, with a secret that is not kept.
   */
  repeats?: 'anew' | 'by itself';
  /** Codes beyond those that every endpoint of its kind has. */
  errors?: readonly ErrorCode[];
  /** By HTTP status: what a code means that comes with another status than its own. */
  otherStatuses?: Record<number, string>;
}

const errorEnvelopeSchema = z
  .object({
    success: z.literal(false),
    errors: z.array(z.object({ code: z.number().int(), message: z.string(), field: z.string().optional() })),
  })
  .openapi('Errors');

/** `next_page_url` and `previous_page_url` are null at the ends. */
const listMetaSchema = z
  .object({
    total: z.number().int(),
    per_page: z.number().int(),
    current_page: z.number().int(),
    last_page: z.number().int(),
    first_page: z.number().int(),
    first_page_url: z.string(),
    last_page_url: z.string(),
    next_page_url: z.string().nullable(),
    previous_page_url: z.string().nullable(),
  })
  .openapi('Meta');

const idempotencyHeader = z.object({
  'Idempotency-Key': z.string().optional().openapi({
    description:
      'The same key and body within 24 h are answered as the first time, and done once; secrets are null then',
  }),
});

/** The contract's: told of every protected endpoint, whether it has a way to give them or not. */
const COMMON_ERRORS: readonly ErrorCode[] = [1, 4, 6, 23, 429];

export function describeRoute(description: RouteDescription, access: Access | null): RouteConfig {
  const { method, path, summary, tag, body, query } = description;
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const isChecked = body !== undefined || query !== undefined || method === 'post';
  const own: readonly ErrorCode[] = [...(names.length === 0 ? [] : [6 as const]), ...(isChecked ? [23 as const] : [])];
  return createRoute({
    method,
    path,
    summary,
    tags: [tag],
    ...(access === null
      ? {}
      : { security: [{ bearer: [] }], 'x-roles': access.roles, 'x-user-token-only': access.userTokenOnly ?? false }),
    request: {
      ...(method === 'post' && description.repeats !== 'anew' ? { headers: idempotencyHeader } : {}),
      ...(names.length === 0 ? {} : { params: z.object(Object.fromEntries(names.map((name) => [name, z.string()]))) }),
      ...(query instanceof z.ZodObject ? { query } : {}),
      ...(body === undefined ? {} : { body: { content: { 'application/json': { schema: body } }, required: true } }),
    },
    responses: {
      200: { description: 'Success', content: contentOf(description) },
      ...errorResponses([...(access === null ? own : COMMON_ERRORS), ...(description.errors ?? []), 500]),
      ...otherStatuses({
        ...(body === undefined ? {} : { 413: 'code 23: The body is larger than 1 MiB' }),
        ...description.otherStatuses,
      }),
    },
  });
}

function contentOf({ answer, sent }: RouteDescription) {
  if (sent === 'csv') return { 'text/csv': { schema: answer } };
  if (sent === 'bare') return { 'application/json': { schema: answer } };
  const meta = sent === 'list' ? { meta: listMetaSchema } : {};
  return { 'application/json': { schema: z.object({ success: z.literal(true), ...meta, data: answer }) } };
}

/** One response per HTTP status, naming its codes. @param meanings of codes that mean something of their own here */
export function errorResponses(codes: readonly ErrorCode[], meanings: Partial<Record<ErrorCode, string>> = {}) {
  const byStatus = new Map<number, string[]>();
  for (const code of new Set(codes)) {
    const { status, message } = ERROR_TABLE[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), `code ${code}: ${meanings[code] ?? message}`]);
  }
  return Object.fromEntries([...byStatus].map(([status, lines]) => [status, errorResponse(lines.join('; '))]));
}

const otherStatuses = (meanings: Record<number, string>) =>
  Object.fromEntries(Object.entries(meanings).map(([status, meaning]) => [status, errorResponse(meaning)]));

const errorResponse = (description: string) => ({
  description,
  content: { 'application/json': { schema: errorEnvelopeSchema } },
});

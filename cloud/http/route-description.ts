/** An endpoint as the OpenAPI document shows it, made of the schemas that validate it. */
import { createRoute, type RouteConfig, z } from '@hono/zod-openapi';
import { ERROR_TABLE, type ErrorCode } from '../../shared/errors.js';

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
  /** Codes beyond those that every endpoint of its kind has. */
  errors?: readonly ErrorCode[];
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

export function describeRoute(description: RouteDescription, options: { bearer: boolean }): RouteConfig {
  const { method, path, summary, tag, body, query } = description;
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  return createRoute({
    method,
    path,
    summary,
    tags: [tag],
    ...(options.bearer ? { security: [{ bearer: [] }] } : {}),
    request: {
      ...(names.length === 0 ? {} : { params: z.object(Object.fromEntries(names.map((name) => [name, z.string()]))) }),
      ...(query instanceof z.ZodObject ? { query } : {}),
      ...(body === undefined ? {} : { body: { content: { 'application/json': { schema: body } }, required: true } }),
    },
    responses: {
      200: { description: 'Success', content: contentOf(description) },
      ...errorResponses([
        ...(options.bearer ? ([1, 4] as const) : []),
        ...(names.length === 0 ? [] : ([6] as const)),
        ...(body === undefined && query === undefined ? [] : ([23] as const)),
        ...(description.errors ?? []),
      ]),
    },
  });
}

function contentOf({ answer, sent }: RouteDescription) {
  if (sent === 'csv') return { 'text/csv': { schema: answer } };
  if (sent === 'bare') return { 'application/json': { schema: answer } };
  const meta = sent === 'list' ? { meta: listMetaSchema } : {};
  return { 'application/json': { schema: z.object({ success: z.literal(true), ...meta, data: answer }) } };
}

/** One response per HTTP status, naming its codes. */
function errorResponses(codes: readonly ErrorCode[]) {
  const byStatus = new Map<number, string[]>();
  for (const code of new Set(codes)) {
    const { status, message } = ERROR_TABLE[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), `code ${code}: ${message}`]);
  }
  return Object.fromEntries(
    [...byStatus].map(([status, lines]) => [
      status,
      { description: lines.join('; '), content: { 'application/json': { schema: errorEnvelopeSchema } } },
    ]),
  );
}

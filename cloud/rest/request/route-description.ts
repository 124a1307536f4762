/** Describes an endpoint in the OpenAPI document, from the schemas that validate it. */
import { maxHeaderSize } from 'node:http';
import { createRoute, type RouteConfig, z } from '@hono/zod-openapi';
import {
  ERROR_TABLE,
  type ErrorCode,
  INTERNAL,
  NO_PERMISSION,
  NOT_FOUND,
  TOO_MANY_REQUESTS,
  UNAUTHORIZED,
  VALIDATION,
} from '../../../shared/errors.js';
import { pushTo } from '../../../shared/grouping.js';
import { oncePer } from '../../../shared/once-per.js';
import type { Access } from './require-caller.js';
import { type BodyBound, bodyBytesMaxOf, bytesInWords } from './body.js';
import { errorEnvelopeSchema, listMetaSchema, warningsSchema } from './envelope-schemas.js';
import { operationIdOf } from './operation-id.js';
import {
  type Headed,
  headersOf,
  IDEMPOTENCY_HEADER,
  IF_MATCH_HEADER,
  IF_NONE_MATCH_HEADER,
} from './response-headers.js';

export interface RouteDescription extends BodyBound {
  method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** With `{name}` parameters; each is a numeric id. */
  path: string;
  summary: string;
  tag: string;
  body?: z.ZodType;
  query?: z.ZodObject;
  /** A GET that shows the one record of its path, as one by id does: the plan of a lot. */
  isRecord?: true;
  /** The schema of `data`, or of the whole answer if that is not in an envelope. */
  answer: z.ZodType;
  /** Keys of the record that move by themselves: its version leaves them out, and who has that version is answered in full. */
  moving?: readonly string[];
  /** How the answer is sent, if not as `data` in its envelope: with `meta` beside it, as a CSV file or a picture, or bare. */
  sent?: 'list' | 'csv' | 'svg' | 'png' | 'bare';
  /**
   * What a POST does that is sent again with the same `Idempotency-Key`. By default it is answered as the first time. `anew`: it accepts
   * no key. `by itself`: it does and answers the same again, with a secret that is not kept.
   */
  repeats?: 'anew' | 'by itself';
  /** Its answer may have warnings beside `data`. */
  warns?: true | undefined;
  /** Codes beyond those that every endpoint of its kind has. */
  errors?: readonly ErrorCode[];
  /** By HTTP status: what a code means when it comes with another status than its own. */
  otherStatuses?: Record<number, string>;
}

/** What reports (lists, sums and exports) answer besides: `otherStatuses` of their endpoints. */
export const OVERLOAD = {
  503: `code ${INTERNAL}: It took longer than 30 s, or too much of the account waits already: ask for less, or again later`,
};

/** What is answered as long as the database does not work: by whatever may fail. */
const UNAVAILABLE = {
  503: `code ${INTERNAL}: The database does not work at present: ask again after Retry-After`,
};

/** The contract lists these for every protected endpoint, even if the endpoint cannot answer all of them. */
const COMMON_ERRORS: readonly ErrorCode[] = [UNAUTHORIZED, NO_PERMISSION, NOT_FOUND, VALIDATION, TOO_MANY_REQUESTS];

/** Whether it is a GET of one record, which has a version. */
export const showsRecord = ({ method, path, isRecord }: RouteDescription): boolean =>
  method === 'get' && (path.endsWith('}') || isRecord === true);

/** Whether it is a GET of which nobody may keep the answer. */
export const isNeverKept = ({ method, moving }: Pick<RouteDescription, 'method' | 'moving'>): boolean =>
  method === 'get' && moving !== undefined;

interface Described {
  body: z.ZodType | undefined;
  query: z.ZodObject | undefined;
  /** What else the description says. */
  text: string;
  route: RouteConfig;
}

/** By the schema of the answer. */
const described = new WeakMap<z.ZodType, Described[]>();

/** Describes an endpoint once per process: the same description, with the same schemas, gives the same route. */
export function describeRoute(description: RouteDescription, access: Access | null): RouteConfig {
  const {
    method,
    path,
    summary,
    tag,
    body,
    query,
    isRecord,
    answer,
    moving,
    sent,
    repeats,
    warns,
    errors,
    otherStatuses,
  } = description;
  const bodyBytesMax = bodyBytesMaxOf(description, access !== null);
  const others = {
    method,
    path,
    summary,
    tag,
    isRecord,
    moving,
    sent,
    repeats,
    warns,
    errors,
    otherStatuses,
    bodyBytesMax,
  };
  const text = JSON.stringify([others, access === null ? null : [access.roles, access.userTokenOnly]]);
  const known = described.get(answer) ?? [];
  const found = known.find((each) => each.body === body && each.query === query && each.text === text);
  if (found !== undefined) return found.route;
  const route = describe(description, access);
  described.set(answer, [...known, { body, query, text, route }]);
  return route;
}

function describe(description: RouteDescription, access: Access | null): RouteConfig {
  const { method, path, summary, tag, body, query } = description;
  const bodyBytesMax = bodyBytesMaxOf(description, access !== null);
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const isGetById = access !== null && showsRecord(description) && description.sent === undefined;
  const isKept = isGetById && !isNeverKept(description);
  const isWrite = method !== 'get' && method !== 'delete';
  const isConditional = access !== null && method !== 'get' && names.length > 0;
  const isChecked = body !== undefined || query !== undefined || method === 'post';
  const own: readonly ErrorCode[] = [
    ...(names.length === 0 ? [] : [NOT_FOUND]),
    ...(isChecked ? [VALIDATION] : []),
    ...(method === 'post' ? [NO_PERMISSION] : []),
  ];
  return createRoute({
    method,
    path,
    operationId: operationIdOf(method, path, description.sent === 'list'),
    summary,
    description: accessText(access),
    tags: [tag],
    ...(access === null
      ? {}
      : { security: [{ bearer: [] }], 'x-roles': access.roles, 'x-user-token-only': access.userTokenOnly ?? false }),
    request: {
      ...headersParameter({
        ...(method === 'post' && description.repeats !== 'anew' ? IDEMPOTENCY_HEADER : {}),
        ...(isConditional ? IF_MATCH_HEADER : {}),
        ...(isKept ? IF_NONE_MATCH_HEADER : {}),
      }),
      ...(names.length === 0 ? {} : { params: z.object(Object.fromEntries(names.map((name) => [name, z.string()]))) }),
      ...(query instanceof z.ZodObject ? { query } : {}),
      ...(body === undefined ? {} : { body: bodyOf(body) }),
    },
    responses: withHeaders(
      { hasBearer: access !== null, isVersioned: access !== null && (isGetById || isWrite) },
      {
        200: { description: 'Success', content: contentOf(description) },
        ...(isKept ? { 304: { description: 'The record still has the version of If-None-Match' } } : {}),
        ...errorResponses([...(access === null ? own : COMMON_ERRORS), ...(description.errors ?? []), INTERNAL], {
          otherStatuses: {
            ...(isConditional ? { 412: `code ${VALIDATION}: The record has another version than If-Match names` } : {}),
            ...(isWrite ? { 413: `code ${VALIDATION}: The body is larger than ${bytesInWords(bodyBytesMax)}` } : {}),
            ...(isWrite ? { 415: `code ${VALIDATION}: The body is not application/json, or is packed` } : {}),
            ...description.otherStatuses,
          },
        }),
      },
    ),
  });
}

const headersParameter = (headers: Record<string, z.ZodType>) =>
  Object.keys(headers).length === 0 ? {} : { headers: z.object(headers) };

function withHeaders(headed: Headed, responses: RouteConfig['responses']): RouteConfig['responses'] {
  return Object.fromEntries(
    Object.entries(responses).map(([status, response]) => [
      status,
      { ...response, headers: headersOf(Number(status), headed) },
    ]),
  );
}

/** A request without a body counts as an empty object. The body is required if an empty object would be refused. */
const bodyOf = (schema: z.ZodType) => ({
  content: { 'application/json': { schema } },
  required: !schema.safeParse({}).success,
});

/** Made once: it takes long to make. */
const ALTERNATIVES = new Intl.ListFormat('en-GB', { type: 'disjunction' });

/** Says for people who may call the endpoint. */
function accessText(access: Access | null): string {
  if (access === null) return 'Without a bearer.';
  const roles = ALTERNATIVES.format(access.roles);
  const token = access.userTokenOnly === true ? 'a user token' : 'a user token or an API token';
  return `With ${token} whose role is ${roles}.`;
}

/**
 * Adds what every entry of the document has: a name, whether it needs a bearer, and a refusal. Even an endpoint that refuses nothing has
 * one, because the HTTP server may refuse a request before any endpoint is chosen.
 */
export const completeRoute = oncePer((route: RouteConfig): RouteConfig => {
  const isEverRefused = Object.keys(route.responses).some((status) => status.startsWith('4'));
  const tooLarge = `code ${VALIDATION}: The headers of the request are larger than ${maxHeaderSize / 1024} KiB`;
  return {
    ...route,
    operationId: route.operationId ?? operationIdOf(route.method, route.path, false),
    description: route.description ?? accessText(null),
    security: route.security ?? [],
    responses: { ...route.responses, ...(isEverRefused ? {} : { 431: errorResponse(tooLarge) }) },
  };
});

/** Parameters that may be bare dates, or hold them: the answer then says whose days these are. */
const DATED = ['filter', 'date_from', 'date_to', 'from', 'to', 'start', 'end', 'at'];

function contentOf({ answer, sent, query, warns }: RouteDescription) {
  if (sent === 'csv') return { 'text/csv': { schema: answer } };
  if (sent === 'svg') return { 'image/svg+xml': { schema: answer } };
  if (sent === 'png') return { 'image/png': { schema: answer } };
  if (sent === 'bare') return { 'application/json': { schema: answer } };
  const meta = sent === 'list' ? { meta: listMetaSchema } : {};
  const timezone =
    query !== undefined && DATED.some((name) => name in query.shape) ? { timezone: z.string().optional() } : {};
  const warnings = warns === true ? { warnings: warningsSchema } : {};
  const schema = z.object({ success: z.literal(true), ...meta, ...timezone, ...warnings, data: answer });
  return { 'application/json': { schema } };
}

/**
 * Builds one response per HTTP status, which names its codes.
 * @param options.meanings of codes that have a special meaning here
 * @param options.otherStatuses what a code means that comes with another status than its own
 */
export function errorResponses(
  codes: readonly ErrorCode[],
  options: { meanings?: Partial<Record<ErrorCode, string>>; otherStatuses?: Record<number, string> } = {},
) {
  const { meanings = {}, otherStatuses = {} } = options;
  const byStatus = new Map<number, string[]>();
  for (const code of new Set(codes)) {
    const { status, message } = ERROR_TABLE[code];
    pushTo(byStatus, status, `code ${code}: ${meanings[code] ?? message}`);
  }
  for (const others of [otherStatuses, ...(codes.includes(INTERNAL) ? [UNAVAILABLE] : [])]) {
    for (const [status, meaning] of Object.entries(others)) pushTo(byStatus, Number(status), meaning);
  }
  return Object.fromEntries([...byStatus].map(([status, lines]) => [status, errorResponse(lines.join('; '))]));
}

const errorResponse = (description: string) => ({
  description,
  content: { 'application/json': { schema: errorEnvelopeSchema } },
});

/** The route of a text that everybody gets alike (`replyShared`). */
export const documentRoute = (path: string, summary: string, type: string, schema: z.ZodType): RouteConfig =>
  createRoute({
    method: 'get',
    path,
    summary,
    tags: ['Documents'],
    request: headersParameter(IF_NONE_MATCH_HEADER),
    responses: withHeaders(
      { hasBearer: false, isVersioned: true },
      {
        200: { description: 'Success', content: { [type]: { schema } } },
        304: { description: 'It still has the version of If-None-Match' },
        ...errorResponses([INTERNAL]),
      },
    ),
  });

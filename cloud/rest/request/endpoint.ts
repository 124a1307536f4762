/**
 * Creates all endpoints. One definition gives the route, the checks in the order of the contract (401, 403, 404, 422, then what the
 * handler finds) and the entry in the OpenAPI document.
 */
import { type OpenAPIHono, type RouteConfig, z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { addressNetwork } from '../../../shared/address-seats.js';
import { ApiError, NOT_FOUND } from '../../../shared/errors.js';
import { eventIdSchema } from '../../../shared/ids.js';
import { type Caller, tokenKey } from '../../kernel/auth/entry.js';
import { countRefusal, unlessTooBad } from './bad-requests.js';
import { type Access, requireCaller } from './require-caller.js';
import type {
  Call,
  Definition,
  EndpointDeps,
  Ids,
  OpenDefinition,
  ReadCall,
  Request,
  Respond,
  SendingDefinition,
} from './endpoint-definition.js';
import { bodyBytesMaxOf, readBody } from './body.js';
import { noKey, type Step } from './idempotency.js';
import { jsonOf } from './long-work.js';
import { namesVersion, type RecordReader } from './record-version.js';
import { readerOf, versionOfAnswer } from './versioned-endpoint.js';
import { addHeader, answerSignal, reply, replyJson } from './reply.js';
import { changeOf, explainingConflicts, type HandledRequest, handleRequest } from './request-change.js';
import { successResponse } from './envelope.js';
import type { HttpEnv } from './http-env.js';
import { completeRoute, describeRoute, isNeverKept, type RouteDescription, showsRecord } from './route-description.js';
import { parseBody, parseQuery } from './validation.js';

const NO_QUERY = z.object({});
/** A write that takes no body takes an empty object, as every one does. */
const NO_BODY: z.ZodType = z.strictObject({});
const NO_BODIES: Partial<Record<RouteDescription['method'], z.ZodType>> = {
  post: NO_BODY,
  put: NO_BODY,
  patch: NO_BODY,
};
export type HttpApp = OpenAPIHono<HttpEnv>;

/** An endpoint ready to be mounted. */
export interface Endpoint {
  route: RouteConfig;
  run(c: Context<HttpEnv>, deps: EndpointDeps): Promise<Response>;
  /** Of a GET by id. */
  record?: RecordReader;
  /** What another part of the installation asks: the document does not show it. */
  isInternal?: true;
}

/** An endpoint for callers with one of the roles. */
export function protectedEndpoint<
  Path extends string,
  Body = undefined,
  Query = undefined,
  Found = undefined,
  Answer = unknown,
>(definition: Definition<Caller, Path, Body, Query, Found, Answer> & Access): Endpoint {
  return {
    route: describeRoute(definition, definition),
    ...(showsRecord(definition) ? { record: readerOf(definition) } : {}),
    async run(c, deps) {
      const caller = await requireCaller(c, deps, definition);
      return inTurn({ c, definition, caller, deps }, () =>
        once({ c, definition, caller, deps }, (beginKey) => answer({ c, definition, caller, deps, beginKey })),
      );
    },
  };
}

/** An endpoint for callers with one of the roles, whose answer is not `data` alone. */
export function sendingEndpoint<Path extends string, Body = undefined, Query = undefined, Found = undefined>(
  definition: SendingDefinition<Path, Body, Query, Found>,
): Endpoint {
  return {
    route: describeRoute(definition, definition),
    async run(c, deps) {
      const caller = await requireCaller(c, deps, definition);
      return inTurn({ c, definition, caller, deps }, () =>
        once({ c, definition, caller, deps }, async (beginKey) => {
          const read = await readCall(c, definition, caller);
          return handled({ c, definition, read, deps, beginKey }, (call) => definition.send(c, call, deps));
        }),
      );
    },
  };
}

/** An endpoint without a bearer. */
export function publicEndpoint<
  Path extends string,
  Body = undefined,
  Query = undefined,
  Found = undefined,
  Answer = unknown,
>(definition: Definition<null, Path, Body, Query, Found, Answer>): Endpoint {
  return {
    route: describeRoute(definition, null),
    async run(c, deps) {
      // It comes first, so that nothing is counted against the person whose browser it is.
      if (definition.method === 'post') deps.refuseForeignPage(c);
      c.set('bodyBytesMax', bodyBytesMaxOf(definition, false));
      const request = { c, definition, caller: null, deps };
      const { refusals } = definition;
      if (refusals === undefined) {
        const answered = () => once(request, (beginKey) => answer({ ...request, beginKey }));
        return definition.body === undefined ? answered() : unlessTooBad(c, deps.badRequests, answered);
      }
      let isAccepted = false;
      const onAccepted = () => void (isAccepted = true);
      // What the idempotency key or the size of the body is refused for counts, too, unless it is known who sent it.
      const work = async () => {
        const proven = await provenCaller(c, definition);
        if (proven !== null) onAccepted();
        return once({ ...request, proven }, (beginKey) => answer({ ...request, beginKey, onAccepted }));
      };
      return countRefusal(c, refusals, work, () => !isAccepted);
    },
  };
}

/** Names whom the body of a request with an idempotency key proves to be asking; null: nobody, or the request is refused in any case. */
async function provenCaller<Path extends string, Body, Query, Found, Answer>(
  c: Context<HttpEnv>,
  definition: Definition<null, Path, Body, Query, Found, Answer>,
): Promise<string | null> {
  const { body: schema, provenCaller: prove } = definition;
  if (prove === undefined || schema === undefined || c.req.header('idempotency-key') === undefined) return null;
  await readBody(c);
  try {
    return await prove({ ids: parseIds(definition.path, c.req.param()), body: await parseBody(c, schema) });
  } catch (error) {
    if (error instanceof ApiError) return null;
    throw error;
  }
}

/** An endpoint for callers with one of the roles, and for everybody else without a bearer, who may less. Its answer is bare. */
export function openEndpoint<Path extends string, Body, Answer extends object>(
  definition: OpenDefinition<Path, Body, Answer>,
): Endpoint {
  return {
    route: describeRoute({ ...definition, sent: 'bare' }, null),
    async run(c, deps) {
      deps.refuseForeignPage(c);
      const isStranger = c.req.header('authorization') === undefined;
      if (isStranger) definition.strangers.count(addressNetwork(c.get('address')));
      const caller = isStranger ? null : await requireCaller(c, deps, definition);
      const work = () =>
        once({ c, definition, caller, deps }, async (beginKey) => {
          const read = await readCall<Caller | null, Path, Body, undefined, undefined>(c, definition, caller);
          const answered = await handled({ c, definition, read, deps, beginKey }, (call) =>
            definition.handle({ ...call, acceptLanguage: c.req.header('accept-language') }),
          );
          return replyJson(c, JSON.stringify(answered));
        });
      if (caller !== null) return inTurn({ c, definition, caller, deps }, work);
      c.set('bodyBytesMax', bodyBytesMaxOf(definition, false));
      return work();
    },
  };
}

/** Adds endpoints to the app and to its OpenAPI registry. */
export function mountEndpoints(
  app: HttpApp,
  endpoints: readonly Endpoint[],
  { respond, ...shared }: Omit<EndpointDeps, 'records'> & { respond: Respond },
): void {
  const records = new Map(endpoints.flatMap(({ record }) => (record === undefined ? [] : [[record.path, record]])));
  const deps: EndpointDeps = { ...shared, records };
  for (const { route, run, isInternal } of endpoints) {
    if (!isInternal) app.openAPIRegistry.registerPath(completeRoute(route));
    app.on(route.method.toUpperCase(), [route.path.replaceAll(/\{(\w+)\}/g, ':$1')], (c) => {
      c.set('route', route.path);
      return respond(c, () => run(c, deps));
    });
  }
}

/**
 * Does the work of a request when its caller has a turn. A command never waits for what else its caller asks, and exports, which last, have
 * turns of their own.
 */
function inTurn(
  request: { c: Context<HttpEnv>; definition: RouteDescription; caller: Caller; deps: EndpointDeps },
  work: () => Promise<Response>,
): Promise<Response> {
  const { c, definition, caller, deps } = request;
  const of = { account_id: caller.account_id, token: tokenKey(caller) };
  c.set('bodyBytesMax', bodyBytesMaxOf(definition, true));
  c.set('share', { run: (piece) => deps.threadShare.run(of, piece) });
  const hasOwnTurns = definition.isCommand === true || definition.sent === 'csv';
  return hasOwnTurns ? work() : deps.requestTurns.run(of, work);
}

/** A POST with an idempotency key is done once. */
function once(
  request: {
    c: Context<HttpEnv>;
    definition: RouteDescription & { shownOnce?: readonly string[] };
    caller: Caller | null;
    /** Who asks without a bearer and has proven it; left out or null: nobody has. */
    proven?: string | null;
    deps: EndpointDeps;
  },
  work: (beginKey: Step) => Promise<Response>,
): Promise<Response> {
  const { c, definition, caller, proven = null, deps } = request;
  const { method, repeats } = definition;
  if (method !== 'post' || repeats === 'anew') return work(noKey);
  return deps.idempotency.once(c, {
    caller: proven ?? callerText(c, caller),
    shownOnce: definition.shownOnce ?? [],
    isKept: repeats !== 'by itself',
    change: changeOf(caller, deps),
    work,
  });
}

/** Runs the handler of a request that was read. */
const handled = <Who extends Caller | null, Path extends string, Body, Query, Found, T>(
  request: HandledRequest<Who, Path, Body, Query, Found>,
  handle: (call: Call<Who, Path, Body, Query, Found>) => Promise<T>,
): Promise<T> =>
  explainingConflicts(
    () => handleRequest(request, handle),
    () => readCall(request.c, request.definition, request.read.caller),
  );

/** Names the caller. A user with a new login is the same caller. */
function callerText(c: Context<HttpEnv>, caller: Caller | null): string {
  if (caller === null) return `public ${c.get('address')}`;
  return caller.kind === 'user' ? `user ${caller.user_id}` : `api ${caller.token_id}`;
}

async function answer<Who extends Caller | null, Path extends string, Body, Query, Found, Answer>(request: {
  c: Context<HttpEnv>;
  definition: Definition<Who, Path, Body, Query, Found, Answer>;
  caller: Who;
  deps: EndpointDeps;
  beginKey: Step;
  /** Called when nothing is left that could be refused before `handle`. */
  onAccepted?: () => void;
}): Promise<Response> {
  const { c, definition, caller, deps } = request;
  const call = await readCall(c, definition, caller);
  request.onAccepted?.();
  const data = await handled({ c, definition, read: call, deps, beginKey: request.beginKey }, definition.handle);
  const json = await jsonOf(c, data);
  const found = versionOfAnswer({ definition, call, records: deps.records }, { data, json });
  // Most requests are a GET, whose version needs no waiting.
  const version = found instanceof Promise ? await found : found;
  const signed = deps.imageLinks.signJson(json);
  if (version !== null) {
    addHeader(c, 'ETag', version);
    const known = definition.method === 'get' ? c.req.header('if-none-match') : undefined;
    // Who has the record of this version may have other values of what moves, and links that have expired.
    if (isNeverKept(definition) || signed !== json) addHeader(c, 'Cache-Control', 'no-store');
    else if (known !== undefined && namesVersion(known, version))
      return reply(c, { status: 304, headers: {}, body: null });
  }
  return successResponse(c, signed);
}

/** Runs the checks after 401 and 403, in their order. */
async function readCall<Who, Path extends string, Body, Query, Found>(
  c: Context<HttpEnv>,
  definition: Request<Who, Path, Body, Query, Found>,
  caller: Who,
): Promise<ReadCall<Who, Path, Body, Query, Found>> {
  const ids = parseIds(definition.path, c.req.param());
  const foundByPath = (await definition.find?.({ caller, ids })) as Found;
  if (foundByPath === null) throw new ApiError(NOT_FOUND);
  const query = queryOf(c, definition) as Query;
  const bodySchema = definition.bodyFor?.(foundByPath) ?? definition.body ?? NO_BODIES[definition.method];
  const checks = async (value: Readonly<Record<string, unknown>>) => (await definition.checkIds?.(value, caller)) ?? [];
  const body = (bodySchema === undefined ? undefined : await parseBody(c, bodySchema, checks)) as Body;
  const found = definition.findByBody === undefined ? foundByPath : await definition.findByBody({ ids, body });
  if (found === null) throw new ApiError(NOT_FOUND);
  return {
    caller,
    ids,
    body,
    query,
    found,
    search: /\?([^#]*)/.exec(c.req.url)?.[1] ?? '',
    address: c.get('address'),
    requestId: c.get('requestId'),
    namesVersion: c.req.header('if-match') !== undefined,
    daysAre: (timezone) => c.set('timezone', timezone ?? undefined),
    warn: (warnings) => c.set('warnings', warnings),
    signal: () => answerSignal(c),
  };
}

/** An endpoint that takes no query refuses one, but for those that probes ask: they add what keeps caches from answering. */
function queryOf(c: Context<HttpEnv>, { path, query }: Pick<RouteDescription, 'path' | 'query'>): unknown {
  if (query !== undefined) return parseQuery(c, query);
  if (path.startsWith('/v2/') && c.req.url.includes('?')) parseQuery(c, NO_QUERY);
  return undefined;
}

/** Ids are numbers as text; those of commands are 8 hex digits, and those of weblinks longer text. Any other text names nothing. */
function parseIds<Path extends string>(path: Path, params: Record<string, string>): Ids<Path> {
  const isWeblink = path.startsWith('/v2/weblinks/');
  const ids: Record<string, number | string> = {};
  for (const [name, text] of Object.entries(params)) {
    const isEvent = name === 'event_id';
    const isValid = isEvent
      ? eventIdSchema.safeParse(text).success
      : isWeblink
        ? /^[\w-]{12,64}$/.test(text)
        : /^\d{1,15}$/.test(text);
    if (!isValid) throw new ApiError(NOT_FOUND);
    ids[name] = isEvent || isWeblink ? text : Number(text);
  }
  return ids as Ids<Path>;
}

/**
 * Creates all endpoints. One definition gives the route, the checks in the order of the contract (401, 403, 404, 422, then what the
 * handler finds) and the entry in the OpenAPI document.
 */
import type { OpenAPIHono, RouteConfig, z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { ApiError, NOT_FOUND } from '../../shared/errors.js';
import { type EventId, eventIdSchema } from '../../shared/ids.js';
import type { Authenticate } from '../auth/authenticator.js';
import type { Caller } from '../auth/caller.js';
import type { FailureLimiter } from '../limit/failure-limiter.js';
import type { RequestLimiter } from '../limit/request-limiter.js';
import { type AuditLog, type Audited, audited } from './audited-request.js';
import { addressOf, countRefusal } from './count-refusal.js';
import { type Access, requireCaller } from './require-caller.js';
import { successResponse } from './envelope.js';
import { explainingConflicts } from './explain-conflict.js';
import type { HttpEnv } from './http-env.js';
import type { Idempotency } from './idempotency.js';
import { completeRoute, describeRoute, type RouteDescription } from './route-description.js';
import { type FieldError, parseBody, parseQuery } from './validation.js';

export type HttpApp = OpenAPIHono<HttpEnv>;

/** The names in a path's braces. */
type IdName<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}` ? Name | IdName<Rest> : never;

/** The types of a path's parameters: numbers, except for events and weblinks. */
type Ids<Path extends string> = {
  [Name in IdName<Path>]: Name extends 'event_id' ? EventId : Path extends `/v2/weblinks/${string}` ? string : number;
};

/** What a handler gets of the request. `caller` is null at public endpoints, `found` what `find` returned. */
export interface Call<Who, Path extends string, Body, Query, Found> {
  caller: Who;
  /** The path's parameters. */
  ids: Ids<Path>;
  body: Body;
  query: Query;
  found: Found;
  /** The request's query as it was written, without its question mark. */
  search: string;
  /** The client's network address. */
  address: string;
  requestId: string;
}

interface Request<Who, Path extends string, Body, Query, Found> extends RouteDescription, Audited<NoInfer<Body>> {
  path: Path;
  body?: z.ZodType<Body>;
  /** Returns the schema for the body of a request, if it depends on what was found; `body` is then only for the document. */
  bodyFor?: (found: Found) => z.ZodType<Body>;
  query?: z.ZodType<Query>;
  /** Finds what is wrong with the ids in a body of any shape. The answer shows it together with the problems of the schema. */
  checkIds?: (body: Readonly<Record<string, unknown>>, caller: Who) => Promise<FieldError[]>;
  /** Looks up what the path names, before the body is judged; null: 404. */
  find?: (call: Pick<Call<Who, Path, never, never, never>, 'caller' | 'ids'>) => Promise<Found | null>;
  /** Looks up what path and body name together, after the body was judged; null: 404. It replaces `find` when the body holds the proof. */
  findByBody?: (call: Pick<Call<Who, Path, Body, never, never>, 'ids' | 'body'>) => Promise<Found | null>;
  /** Counts, by the client's address, requests that are refused before `handle` begins: 429 when that address has no refusal left. */
  refusals?: FailureLimiter;
}

interface Definition<Who, Path extends string, Body, Query, Found, Answer>
  extends Request<Who, Path, Body, Query, Found> {
  answer: z.ZodType<Answer>;
  /** Keys of the answer that hold a secret: they are null when the answer is repeated. */
  shownOnce?: readonly (keyof NoInfer<Answer> & string)[];
  handle: (call: Call<Who, Path, Body, Query, Found>) => Promise<NoInfer<Answer>>;
}

/** Sends something other than `data` in the envelope: a page with its meta, or a file. */
export interface SendingDefinition<Path extends string, Body, Query, Found>
  extends Request<Caller, Path, Body, Query, Found>,
    Access {
  send: (c: Context<HttpEnv>, call: Call<Caller, Path, Body, Query, Found>, deps: EndpointDeps) => Promise<Response>;
}

/** What all endpoints share. */
export interface EndpointDeps {
  authenticate: Authenticate;
  /** Per token. */
  requests: RequestLimiter;
  idempotency: Idempotency;
  /** Signs the links to pictures in an answer's JSON text. */
  imageLinks: { signJson(json: string): string };
  audit: AuditLog;
}

/** An endpoint ready to be mounted. */
export interface Endpoint {
  route: RouteConfig;
  run(c: Context<HttpEnv>, deps: EndpointDeps): Promise<Response>;
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
    async run(c, deps) {
      const caller = await requireCaller(c, deps, definition);
      return once({ c, definition, caller, deps }, () => answer({ c, definition, caller, deps }));
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
      return once({ c, definition, caller, deps }, async () => {
        const call = await readCall(c, definition, caller);
        const work = () => audited(definition, call, { audit: deps.audit, work: () => definition.send(c, call, deps) });
        return explainingConflicts(work, () => readCall(c, definition, caller));
      });
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
    run(c, deps) {
      const request = { c, definition, caller: null, deps };
      const { refusals } = definition;
      if (refusals === undefined) return once(request, () => answer(request));
      let isAccepted = false;
      const onAccepted = () => void (isAccepted = true);
      // What the idempotency key or the size of the body is refused for counts, too.
      const work = () => once(request, () => answer({ ...request, onAccepted }));
      return countRefusal(c, refusals, work, () => !isAccepted);
    },
  };
}

/** Adds endpoints to the app and to its OpenAPI registry. */
export function mountEndpoints(app: HttpApp, endpoints: readonly Endpoint[], deps: EndpointDeps): void {
  for (const { route, run } of endpoints) {
    app.openAPIRegistry.registerPath(completeRoute(route));
    app.on(route.method.toUpperCase(), [route.path.replaceAll(/\{(\w+)\}/g, ':$1')], (c) => {
      c.set('route', route.path);
      return run(c, deps);
    });
  }
}

/** A POST with an idempotency key is done once. */
function once(
  request: {
    c: Context<HttpEnv>;
    definition: RouteDescription & { shownOnce?: readonly string[] };
    caller: Caller | null;
    deps: EndpointDeps;
  },
  work: () => Promise<Response>,
): Promise<Response> {
  const { c, definition, caller, deps } = request;
  if (definition.method !== 'post' || definition.repeats === 'anew') return work();
  return deps.idempotency.once(c, {
    caller: callerText(c, caller),
    shownOnce: definition.shownOnce ?? [],
    isKept: definition.repeats !== 'by itself',
    isPublic: caller === null,
    work,
  });
}

/** Names the caller. A user with a new login is the same caller. */
function callerText(c: Context<HttpEnv>, caller: Caller | null): string {
  if (caller === null) return `public ${addressOf(c)}`;
  return caller.kind === 'user' ? `user ${caller.user_id}` : `api ${caller.token_id}`;
}

async function answer<Who extends Caller | null, Path extends string, Body, Query, Found, Answer>(request: {
  c: Context<HttpEnv>;
  definition: Definition<Who, Path, Body, Query, Found, Answer>;
  caller: Who;
  deps: EndpointDeps;
  /** Called when nothing is left that could be refused before `handle`. */
  onAccepted?: () => void;
}): Promise<Response> {
  const { c, definition, caller, deps } = request;
  const call = await readCall(c, definition, caller);
  request.onAccepted?.();
  const work = () => audited(definition, call, { audit: deps.audit, work: () => definition.handle(call) });
  const data = await explainingConflicts(work, () => readCall(c, definition, caller));
  return successResponse(c, deps.imageLinks.signJson(JSON.stringify(data)));
}

/** Runs the checks after 401 and 403, in their order. */
async function readCall<Who, Path extends string, Body, Query, Found>(
  c: Context<HttpEnv>,
  definition: Request<Who, Path, Body, Query, Found>,
  caller: Who,
): Promise<Call<Who, Path, Body, Query, Found>> {
  const ids = parseIds(definition.path, c.req.param());
  const foundByPath = (await definition.find?.({ caller, ids })) as Found;
  if (foundByPath === null) throw new ApiError(NOT_FOUND);
  const query = (definition.query === undefined ? undefined : parseQuery(c, definition.query)) as Query;
  const bodySchema = definition.bodyFor?.(foundByPath) ?? definition.body;
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
    get address() {
      return addressOf(c);
    },
    requestId: c.get('requestId'),
  };
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

/**
 * The one way an endpoint is made. Its definition is at once the route, the checks in the order of the contract (401,
 * 403, 404, 422, then what the handler finds) and the entry in the OpenAPI document.
 */
import { getConnInfo } from '@hono/node-server/conninfo';
import type { OpenAPIHono, RouteConfig, z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { ApiError } from '../../shared/errors.js';
import { type EventId, eventIdSchema } from '../../shared/ids.js';
import type { Authenticate } from '../auth/authenticator.js';
import type { Caller } from '../auth/caller.js';
import type { RequestLimiter } from '../auth/request-limiter.js';
import type { ImageLinks } from '../images/image-links.js';
import { type AuditLog, type Audited, audited } from './audit.js';
import { type Access, requireCaller } from './authentication.js';
import { successResponse } from './envelope.js';
import type { HttpEnv } from './http-env.js';
import type { Idempotency } from './idempotency.js';
import { describeRoute, type RouteDescription } from './route-description.js';
import { type FieldError, parseBody, parseQuery } from './validation.js';

export type HttpApp = OpenAPIHono<HttpEnv>;

/** The names in a path's braces. */
type IdName<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}` ? Name | IdName<Rest> : never;

/** What a path's parameters are: numbers, but for events and weblinks. */
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
  /** The schema for the body of a request, where it depends on what was found; `body` then describes it only. */
  bodyFor?: (found: Found) => z.ZodType<Body>;
  query?: z.ZodType<Query>;
  /** What is wrong with the ids in the body, whatever shape it has: told together with what its schema says. */
  checkIds?: (body: Readonly<Record<string, unknown>>, caller: Who) => Promise<FieldError[]>;
  /** Looks up what the path names, before the body is judged; null: 404. */
  find?: (call: Pick<Call<Who, Path, never, never, never>, 'caller' | 'ids'>) => Promise<Found | null>;
}

interface Definition<Who, Path extends string, Body, Query, Found, Answer>
  extends Request<Who, Path, Body, Query, Found> {
  answer: z.ZodType<Answer>;
  /** Keys of the answer that hold a secret: null when the answer is told again. */
  shownOnce?: readonly (keyof NoInfer<Answer> & string)[];
  handle: (call: Call<Who, Path, Body, Query, Found>) => Promise<NoInfer<Answer>>;
}

/** Sends something else than `data` in its envelope: a page with its meta, a file. */
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
  imageLinks: Pick<ImageLinks, 'signJson'>;
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
        return audited(definition, call, { audit: deps.audit, work: () => definition.send(c, call, deps) });
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
    run: (c, deps) => once({ c, definition, caller: null, deps }, () => answer({ c, definition, caller: null, deps })),
  };
}

/** Adds endpoints to the app and to its OpenAPI registry. */
export function mountEndpoints(app: HttpApp, endpoints: readonly Endpoint[], deps: EndpointDeps): void {
  for (const { route, run } of endpoints) {
    app.openAPIRegistry.registerPath(route);
    app.on(route.method.toUpperCase(), [route.path.replaceAll(/\{(\w+)\}/g, ':$1')], (c) => {
      c.set('route', route.path);
      return run(c, deps);
    });
  }
}

/** A POST that names itself is done once. */
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

/** A new login is the same user. */
function callerText(c: Context<HttpEnv>, caller: Caller | null): string {
  if (caller === null) return `public ${addressOf(c)}`;
  return caller.kind === 'user' ? `user ${caller.user_id}` : `api ${caller.token_id}`;
}

const addressOf = (c: Context<HttpEnv>): string => getConnInfo(c).remote.address ?? '';

async function answer<Who extends Caller | null, Path extends string, Body, Query, Found, Answer>(request: {
  c: Context<HttpEnv>;
  definition: Definition<Who, Path, Body, Query, Found, Answer>;
  caller: Who;
  deps: EndpointDeps;
}): Promise<Response> {
  const { c, definition, caller, deps } = request;
  const call = await readCall(c, definition, caller);
  const data = await audited(definition, call, { audit: deps.audit, work: () => definition.handle(call) });
  return successResponse(c, deps.imageLinks.signJson(JSON.stringify(data)));
}

/** The checks after 401 and 403, in their order. */
async function readCall<Who, Path extends string, Body, Query, Found>(
  c: Context<HttpEnv>,
  definition: Request<Who, Path, Body, Query, Found>,
  caller: Who,
): Promise<Call<Who, Path, Body, Query, Found>> {
  const ids = parseIds(definition.path, c.req.param());
  const found = (await definition.find?.({ caller, ids })) as Found;
  if (definition.find !== undefined && found === null) throw new ApiError(6);
  const query = (definition.query === undefined ? undefined : parseQuery(c, definition.query)) as Query;
  const bodySchema = definition.bodyFor?.(found) ?? definition.body;
  const checks = async (value: Readonly<Record<string, unknown>>) => (await definition.checkIds?.(value, caller)) ?? [];
  const body = (bodySchema === undefined ? undefined : await parseBody(c, bodySchema, checks)) as Body;
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

/** Ids are numeric text, those of commands 8 hex digits, those of weblinks longer text; anything else names nothing. */
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
    if (!isValid) throw new ApiError(6);
    ids[name] = isEvent || isWeblink ? text : Number(text);
  }
  return ids as Ids<Path>;
}

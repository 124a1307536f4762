/**
 * The one way an endpoint is made. Its definition is at once the route, the checks in the order of the contract (401,
 * 403, 404, 422, then what the handler finds) and the entry in the OpenAPI document.
 */
import { getConnInfo } from '@hono/node-server/conninfo';
import type { OpenAPIHono, RouteConfig, z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { ApiError } from '../../shared/errors.js';
import type { Authenticate } from '../auth/authenticator.js';
import type { Caller, Role } from '../auth/caller.js';
import { requireCaller } from './authentication.js';
import { successResponse } from './envelope.js';
import type { HttpEnv } from './http-env.js';
import { describeRoute, type RouteDescription } from './route-description.js';
import { parseBody, parseQuery } from './validation.js';

export type HttpApp = OpenAPIHono<HttpEnv>;

/** What a handler gets of the request. `caller` is null at public endpoints, `found` what `find` returned. */
export interface Call<Who, Body, Query, Found> {
  caller: Who;
  /** Path parameters: ids as numbers. */
  params: Record<string, number>;
  body: Body;
  query: Query;
  found: Found;
  /** The client's network address. */
  address: string;
  requestId: string;
}

interface Definition<Who, Body, Query, Found, Answer> extends RouteDescription {
  body?: z.ZodType<Body>;
  query?: z.ZodType<Query>;
  answer: z.ZodType<Answer>;
  /** Looks up what the path names, before the body is judged; null: 404. */
  find?: (call: Pick<Call<Who, never, never, never>, 'caller' | 'params'>) => Promise<Found | null>;
  handle: (call: Call<Who, Body, Query, Found>) => Promise<NoInfer<Answer>>;
}

/** An endpoint ready to be mounted. */
export interface Endpoint {
  route: RouteConfig;
  run(c: Context<HttpEnv>, deps: { authenticate: Authenticate }): Promise<Response>;
}

/** An endpoint for callers with one of the roles. */
export function protectedEndpoint<Body = undefined, Query = undefined, Found = undefined, Answer = unknown>(
  definition: Definition<Caller, Body, Query, Found, Answer> & { roles: readonly Role[] },
): Endpoint {
  return {
    route: describeRoute(definition, { bearer: true }),
    async run(c, { authenticate }) {
      return answer(c, definition, await requireCaller(c, { authenticate, roles: definition.roles }));
    },
  };
}

/** An endpoint without a bearer. */
export function publicEndpoint<Body = undefined, Query = undefined, Found = undefined, Answer = unknown>(
  definition: Definition<null, Body, Query, Found, Answer>,
): Endpoint {
  return { route: describeRoute(definition, { bearer: false }), run: (c) => answer(c, definition, null) };
}

/** Adds endpoints to the app and to its OpenAPI registry. */
export function mountEndpoints(
  app: HttpApp,
  endpoints: readonly Endpoint[],
  deps: { authenticate: Authenticate },
): void {
  for (const { route, run } of endpoints) {
    app.openAPIRegistry.registerPath(route);
    app.on(route.method.toUpperCase(), [route.path.replaceAll(/\{(\w+)\}/g, ':$1')], (c) => run(c, deps));
  }
}

async function answer<Who, Body, Query, Found, Answer>(
  c: Context<HttpEnv>,
  definition: Definition<Who, Body, Query, Found, Answer>,
  caller: Who,
): Promise<Response> {
  const params = parseIds(c.req.param());
  const found = (await definition.find?.({ caller, params })) as Found;
  if (definition.find !== undefined && found === null) throw new ApiError(6);
  const query = (definition.query === undefined ? undefined : parseQuery(c, definition.query)) as Query;
  const body = (definition.body === undefined ? undefined : await parseBody(c, definition.body)) as Body;
  const address = getConnInfo(c).remote.address ?? '';
  const data = await definition.handle({ caller, params, body, query, found, address, requestId: c.get('requestId') });
  return successResponse(c, data);
}

/** Ids are numeric text; anything else names nothing. */
function parseIds(params: Record<string, string>): Record<string, number> {
  const ids: Record<string, number> = {};
  for (const [name, text] of Object.entries(params)) {
    if (!/^\d{1,15}$/.test(text)) throw new ApiError(6);
    ids[name] = Number(text);
  }
  return ids;
}

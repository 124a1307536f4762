import { OpenAPIHono } from '@hono/zod-openapi';
import { randomUUID } from 'node:crypto';
import type { Registry } from 'prom-client';
import type { Clock } from '../../shared/clock.js';
import { ApiError, NOT_FOUND } from '../../shared/errors.js';
import type { Logger } from '../../shared/logger.js';
import { createRequestLimiter } from '../limit/request-limiter.js';
import type { CloudStore } from '../store/cloud-store.js';
import { createAuditLog } from './audited-request.js';
import { corsFor } from './cors.js';
import { type Endpoint, type HttpApp, mountEndpoints } from './endpoint.js';
import type { EndpointDeps } from './endpoint-definition.js';
import { errorResponse } from './envelope.js';
import type { HttpEnv } from './http-env.js';
import { createIdempotency } from './idempotency.js';
import { documentEndpoints } from './openapi.js';
import { measureRequests } from './request-metrics.js';

/** A client may name its request. The name ends up in logs and in a header, so it is restricted. */
const REQUEST_ID = /^[\w.:-]{1,128}$/;

export interface HttpAppDeps extends Pick<EndpointDeps, 'authenticate' | 'imageLinks'> {
  store: CloudStore;
  /** Of the app's own measurements. */
  metrics: { registry: Registry };
  /** Of pages that may call it. */
  corsOrigins: readonly string[];
  clock: Clock;
  logger: Logger;
  limits: {
    /** RATE_REQUESTS_PER_MIN, per token; 0: no limit. */
    requestsPerMin: number;
  };
}

/** The REST interface: these endpoints and the documents about them. Serve it with `startHttpServer`. */
export function createHttpApp(deps: HttpAppDeps, endpoints: readonly Endpoint[]): HttpApp {
  const { store, clock, logger, limits } = deps;
  const app = new OpenAPIHono<HttpEnv>();

  app.use(async (c, next) => {
    const given = c.req.header('x-request-id') ?? '';
    const requestId = REQUEST_ID.test(given) ? given : randomUUID();
    c.set('requestId', requestId);
    c.set('headers', { 'X-Request-Id': requestId, 'X-Content-Type-Options': 'nosniff' });
    await next();
    // Only the path is logged, because a query may hold a signature or a token.
    logger.debug({ request_id: requestId, method: c.req.method, path: c.req.path, status: c.res.status }, 'Request');
  });
  app.use(measureRequests({ registry: deps.metrics.registry, clock }));
  if (deps.corsOrigins.length > 0) app.use(corsFor(deps.corsOrigins));
  app.onError((error, c) => errorResponse(c, error, logger));
  app.notFound((c) => errorResponse(c, new ApiError(NOT_FOUND), logger));

  const requests = createRequestLimiter({ requestsPerMin: limits.requestsPerMin, clock });
  mountEndpoints(app, [...endpoints, ...documentEndpoints(app)], {
    ...deps,
    requests,
    idempotency: createIdempotency({ store, clock }),
    audit: createAuditLog({ store, clock }),
  });
  return app;
}

import { OpenAPIHono } from '@hono/zod-openapi';
import type { Context } from 'hono';
import type { Registry } from 'prom-client';
import { createBoundedLog } from '../../../shared/bounded-log.js';
import type { Clock } from '../../../shared/clock.js';
import { ApiError, NOT_FOUND } from '../../../shared/errors.js';
import type { Logger } from '../../../shared/logger.js';
import type { CloudStore } from '../../kernel/store/entry.js';
import {
  createRequestLimiter,
  createRequestTurns,
  createThreadShare,
  type ShareCounts,
} from '../../kernel/limit/entry.js';
import type { Secrets } from '../../kernel/secrets/entry.js';
import { createAuditLog } from '../request/audited-request.js';
import { type Endpoint, type HttpApp, mountEndpoints } from '../request/endpoint.js';
import type { AddressOf } from './client-address.js';
import type { EndpointDeps } from '../request/endpoint-definition.js';
import { errorResponse } from '../request/envelope.js';
import { createRespond } from './every-request.js';
import { createRefuseForeignPage } from '../request/foreign-pages.js';
import type { HttpEnv } from '../request/http-env.js';
import { createIdempotency } from '../request/idempotency.js';
import { documentEndpoints } from '../document/openapi.js';
import { PathRouter } from './path-router.js';

export interface HttpAppDeps extends Pick<EndpointDeps, 'authenticate' | 'badRequests' | 'imageLinks'> {
  store: CloudStore;
  secrets: Pick<Secrets, 'seal' | 'open'>;
  /** Of the app's own measurements. */
  metrics: { registry: Registry };
  addressOf: AddressOf;
  /** Of pages that may call it. */
  corsOrigins: readonly string[];
  hasOwnTls: boolean;
  /** The address of the service. */
  baseUrl: () => string;
  clock: Clock;
  logger: Logger;
  limits: {
    /** RATE_REQUESTS_PER_MIN, per token; 0: no limit. */
    requestsPerMin: number;
  };
  shareCounts: ShareCounts;
  /** What a person gets at an address that nothing has; null: the caller is a program. */
  unknownPage: (c: Context<HttpEnv>) => Promise<Response | null>;
}

/** The REST interface: these endpoints and the documents about them. Serve it with `startHttpServer`. */
export function createHttpApp(deps: HttpAppDeps, endpoints: readonly Endpoint[]): HttpApp {
  const { store, secrets, clock, logger, limits } = deps;
  const app = new OpenAPIHono<HttpEnv>({ router: new PathRouter() });

  const failures = createBoundedLog({ logger, clock });
  const respond = createRespond({ ...deps, failures });
  app.onError((error, c) => errorResponse(c, error, failures));
  app.notFound((c) =>
    respond(c, async () => {
      const page = await deps.unknownPage(c);
      if (page === null) throw new ApiError(NOT_FOUND);
      return page;
    }),
  );

  const requests = createRequestLimiter({
    requestsPerMin: limits.requestsPerMin,
    clock,
    shared: deps.shareCounts('requests'),
  });
  const threadShare = createThreadShare({ clock });
  mountEndpoints(app, [...endpoints, ...documentEndpoints(app, respond)], {
    ...deps,
    respond,
    refuseForeignPage: createRefuseForeignPage(deps),
    requests,
    requestTurns: createRequestTurns({ share: threadShare }),
    threadShare,
    idempotency: createIdempotency({ store, clock, secrets }),
    audit: createAuditLog({ store, clock }),
  });
  return app;
}

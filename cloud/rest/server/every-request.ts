/** What every request gets, whoever answers it: its id, CORS, the answer to an error, its measurement and its line in the log. */
import { randomUUID } from 'node:crypto';
import type { Context } from 'hono';
import { cors } from 'hono/cors';
import type { BoundedLog } from '../../../shared/bounded-log.js';
import type { Logger } from '../../../shared/logger.js';
import type { AddressOf } from './client-address.js';
import type { Respond } from '../request/endpoint-definition.js';
import { errorResponse, loggedPath } from '../request/envelope.js';
import type { HttpEnv } from '../request/http-env.js';
import { createRequestMeasurement, type RequestMeasurementDeps } from './request-metrics.js';

/** A client may name its request. The name ends up in logs and in a header, so it is restricted. */
const REQUEST_ID = /^[\w.:-]{1,128}$/;
const PREFLIGHT_MAX_AGE_S = 600;

export function createRespond(
  deps: RequestMeasurementDeps & {
    /** Of pages that may call the interface. */
    corsOrigins: readonly string[];
    addressOf: AddressOf;
    /** Whether the service itself speaks TLS, so that a browser need never ask it without. */
    hasOwnTls: boolean;
    logger: Logger;
    /** Of requests that fail, by endpoint. */
    failures: BoundedLog;
  },
): Respond {
  const { corsOrigins, addressOf, hasOwnTls, clock, logger, failures } = deps;
  const measure = createRequestMeasurement(deps);
  const withCors = corsOrigins.length === 0 ? null : corsFor(corsOrigins);
  return async (c, work) => {
    const startedAt = clock.monotonic();
    const given = c.req.header('x-request-id') ?? '';
    const requestId = REQUEST_ID.test(given) ? given : randomUUID();
    c.set('requestId', requestId);
    c.set('address', addressOf(c.env.incoming));
    c.set('headers', {
      'X-Request-Id': requestId,
      'X-Content-Type-Options': 'nosniff',
      ...(hasOwnTls ? { 'Strict-Transport-Security': 'max-age=31536000' } : {}),
      // An answer is one caller's, who may keep it only as long as it is asked for again with its ETag.
      'Cache-Control': 'private, no-cache',
    });
    const answered = async () => {
      try {
        return await work();
      } catch (error) {
        return errorResponse(c, error, failures);
      }
    };
    const response = await (withCors === null ? answered() : withCors(c, answered));
    measure(c, response.status, startedAt);
    logger.debug(
      { request_id: requestId, method: c.req.method, path: loggedPath(c), status: response.status },
      'Request',
    );
    return response;
  };
}

/** Lets pages of these origins call the interface. They send a bearer token and never cookies. It answers a preflight itself. */
function corsFor(origins: readonly string[]) {
  const allow = cors({
    origin: (origin) => (origins.includes(origin) ? origin : null),
    allowMethods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
    allowHeaders: ['Authorization', 'Content-Type', 'Idempotency-Key', 'If-Match', 'If-None-Match', 'X-Request-Id'],
    exposeHeaders: [
      'X-Request-Id',
      'ETag',
      'RateLimit-Limit',
      'RateLimit-Remaining',
      'RateLimit-Reset',
      'Retry-After',
      'Deprecation',
      'Sunset',
      'Link',
    ],
    maxAge: PREFLIGHT_MAX_AGE_S,
  });
  return async (c: Context<HttpEnv>, work: () => Promise<Response>): Promise<Response> => {
    // It answers preflights itself, and knows only headers that are set this way.
    for (const [name, value] of Object.entries(c.get('headers'))) c.header(name, value);
    const preflight = await allow(c, async () => {
      c.res = await work();
    });
    return preflight instanceof Response ? preflight : c.res;
  };
}

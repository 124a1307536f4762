import type { MiddlewareHandler } from 'hono';
import { cors } from 'hono/cors';
import type { HttpEnv } from './http-env.js';

const PREFLIGHT_MAX_AGE_S = 600;

/** Lets pages of these origins call the interface. They send a bearer token and never cookies. */
export function corsFor(origins: readonly string[]): MiddlewareHandler<HttpEnv> {
  return cors({
    origin: (origin) => (origins.includes(origin) ? origin : null),
    allowMethods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
    allowHeaders: ['Authorization', 'Content-Type', 'Idempotency-Key', 'X-Request-Id'],
    exposeHeaders: ['X-Request-Id', 'Retry-After', 'Deprecation', 'Sunset', 'Link'],
    maxAge: PREFLIGHT_MAX_AGE_S,
  });
}

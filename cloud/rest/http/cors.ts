import type { Context } from 'hono';
import { cors } from 'hono/cors';
import type { HttpEnv } from './http-env.js';

const PREFLIGHT_MAX_AGE_S = 600;

/** Answers a preflight itself, and any other request with what the work returns. */
export type Cors = (c: Context<HttpEnv>, work: () => Response | Promise<Response>) => Promise<Response>;

/** Lets pages of these origins call the interface. They send a bearer token and never cookies. */
export function corsFor(origins: readonly string[]): Cors {
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
  return async (c, work) => {
    // It answers preflights itself, and knows only headers that are set this way.
    for (const [name, value] of Object.entries(c.get('headers'))) c.header(name, value);
    const preflight = await allow(c, async () => {
      c.res = await work();
    });
    return preflight instanceof Response ? preflight : c.res;
  };
}

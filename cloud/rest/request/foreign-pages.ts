/** Pages of others: what a browser sends for one that this service did not serve, where no token says that a person wants it. */
import type { Context } from 'hono';
import { ApiError, NO_PERMISSION } from '../../../shared/errors.js';
import type { HttpEnv } from './http-env.js';

/** @throws ApiError NO_PERMISSION for a request that a browser sends for a page of somebody else */
export type RefuseForeignPage = (c: Context<HttpEnv>) => void;

/**
 * The service's own pages are at its address, or at whatever other name the browser reached it by: then the page and the request name the
 * same host. The scheme is not compared, because a proxy may end TLS. Programs send no `Origin`.
 */
export function createRefuseForeignPage(own: {
  corsOrigins: readonly string[];
  baseUrl: () => string;
}): RefuseForeignPage {
  return (c) => {
    const origin = c.req.header('origin');
    if (origin === undefined || own.corsOrigins.includes(origin)) return;
    const { host } = URL.canParse(origin) ? new URL(origin) : { host: '' };
    if (host !== '' && [c.req.header('host'), new URL(own.baseUrl()).host].includes(host)) return;
    throw new ApiError(NO_PERMISSION, {
      message: 'A page of another origin may not ask this: CORS_ORIGINS does not name it',
    });
  };
}

import { timingSafeEqual } from 'node:crypto';
import type { Hono } from 'hono';
import { ApiError } from '../../../shared/errors.js';
import { isLoopbackHost } from '../../../shared/loopback-host.js';
import { type HttpListener, listenHttp } from '../http-listener.js';

export interface ControlAddress {
  host: string;
  port: number;
  /**
   * The token that each request has to carry as `Authorization: Bearer`. Left out: none, and it listens on this machine
   * alone.
   */
  token?: string | undefined;
}

export const CONTROL_TOKEN_MIN = 16;

/**
 * Why a control interface may not listen there; null: it may. Whoever reaches it moves products, so beyond this machine it takes a token.
 * @returns a sentence for the caller's command line
 */
export function controlRefusal({ host, token }: Pick<ControlAddress, 'host' | 'token'>): string | null {
  if (token !== undefined)
    return token.length >= CONTROL_TOKEN_MIN ? null : `--control-token needs at least ${CONTROL_TOKEN_MIN} characters`;
  const isOwn = isLoopbackHost(host.includes(':') ? `[${host}]` : host);
  return isOwn ? null : `whoever reaches ${host} could move products: listen on 127.0.0.1, or give --control-token`;
}

/** Serves a control interface. @throws Error when it may not or cannot listen there */
export function listenControl(app: Hono, address: ControlAddress): Promise<HttpListener> {
  const refusal = controlRefusal(address);
  if (refusal !== null) return Promise.reject(new Error(refusal));
  const { token } = address;
  if (token === undefined) return listenHttp(app.fetch, address);
  const expected = Buffer.from(`Bearer ${token}`);
  const isAllowed = ({ headers }: Request): boolean => {
    const given = Buffer.from(headers.get('authorization') ?? '');
    return given.length === expected.length && timingSafeEqual(given, expected);
  };
  const refused = new ApiError(1, { message: 'The control interface takes Authorization: Bearer with its token' });
  return listenHttp(
    (request, env) =>
      isAllowed(request) ? app.fetch(request, env) : Response.json(refused.envelope(), { status: refused.status }),
    address,
  );
}

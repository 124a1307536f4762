/** What a client's upgrade request says: its token, its cursor, and its origin (realtime contract, "Connection"). */
import { bearerToken } from '../../kernel/auth/entry.js';

export const REALTIME_PATH = '/v2/realtime';

/** The subprotocol that a browser offers before its token, and that the server answers. */
export const BEARER_SUBPROTOCOL = 'bearer';

interface Handshake {
  /** null: the token comes as the first message. */
  token: string | null;
  /** The id as the client wrote it; null: it wants no replay. */
  lastEventId: string | null;
}

/** Reads the token from the first place that holds one: header, subprotocol, query. */
export function readHandshake(request: {
  query: URLSearchParams;
  authorization: string | undefined;
  subprotocols: string | undefined;
}): Handshake {
  return {
    token:
      bearerToken(request.authorization) ??
      subprotocolToken(request.subprotocols) ??
      request.query.get('token') ??
      null,
    lastEventId: request.query.get('last_event_id'),
  };
}

/** Subprotocols come as a list; the token follows `bearer`. */
function subprotocolToken(header: string | undefined): string | null {
  const offered = (header ?? '').split(',').map((name) => name.trim());
  const at = offered.indexOf(BEARER_SUBPROTOCOL);
  return at < 0 ? null : (offered[at + 1] ?? '');
}

export interface AllowedOrigins {
  /** Origins as browsers write them: scheme, host, and a port that is not the scheme's default. Empty: all. */
  allowed: readonly string[];
  own: string;
}

/**
 * Decides whether a page of this origin may connect. Only browsers send an origin. The token is never a cookie, so a foreign page cannot
 * use somebody's login. When origins are configured (CORS_ORIGINS), pages of all others are refused nevertheless.
 * @param origin the header `Origin`
 * @param own the service's own address: its pages may always connect
 */
export function isAllowedOrigin(origin: string | undefined, { allowed, own }: AllowedOrigins): boolean {
  if (origin === undefined || allowed.length === 0) return true;
  return allowed.includes(origin) || origin === new URL(own).origin;
}

/** Reads how a client presents its token at the upgrade (realtime contract, "Connection"). */
import { bearerToken } from '../../kernel/entry.js';

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

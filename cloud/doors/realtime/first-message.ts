import type { Clock } from '../../../shared/clock.js';
import { ApiError } from '../../../shared/errors.js';
import type { Logger } from '../../../shared/logger.js';
import type { Authenticate, Caller } from '../../kernel/auth/entry.js';
import type { Connection } from './connection.js';
import {
  CLOSE_AUTHORIZE_TIMEOUT,
  CLOSE_INTERNAL_ERROR,
  CLOSE_UNAUTHORIZED,
  parseClientFrame,
} from './realtime-frames.js';
import type { RealtimeSocket } from './realtime-socket.js';

const AUTHORIZE_TIMEOUT_MS = 10_000;
/** How many frames may follow the token before it is accepted. */
const EARLY_FRAMES_MAX = 16;

/** A connection that has not shown a token yet: its first message must be `{"event":"authorize","data":"<token>"}`. */
export type FirstMessage = Pick<Connection, 'receive' | 'pong' | 'ended'>;

/**
 * @param options.authorized opens the connection, which then gets the frames that came early
 */
export function waitForAuthorization(options: {
  socket: RealtimeSocket;
  authenticate: (token: string) => ReturnType<Authenticate>;
  clock: Clock;
  logger: Logger;
  authorized: (caller: Caller) => Connection;
}): FirstMessage {
  const { socket, authenticate, clock, logger, authorized } = options;
  let state: 'waiting' | 'checking' | 'over' = 'waiting';
  const early: string[] = [];

  const timer = clock.setTimer(AUTHORIZE_TIMEOUT_MS, () =>
    close(CLOSE_AUTHORIZE_TIMEOUT, 'no authorize message in time'),
  );
  const over = () => {
    if (state === 'over') return;
    state = 'over';
    timer.cancel();
  };
  const close = (code: number, reason: string) => {
    if (state === 'over') return;
    over();
    socket.close(code, reason);
  };

  const check = async (token: string) => {
    const caller = await authenticate(token);
    if (caller === null) {
      close(CLOSE_UNAUTHORIZED, 'unknown token');
    } else if (state === 'checking') {
      over();
      const connection = authorized(caller);
      for (const text of early) connection.receive(text);
    }
  };

  return {
    receive(text) {
      if (state === 'checking') {
        early.push(text);
        if (early.length > EARLY_FRAMES_MAX) close(CLOSE_UNAUTHORIZED, 'too much before the authorization');
        return;
      }
      if (state === 'over') return;
      const frame = parseClientFrame(text);
      if (frame?.event !== 'authorize' || typeof frame.data !== 'string') {
        close(CLOSE_UNAUTHORIZED, 'the first message must authorize');
        return;
      }
      state = 'checking';
      check(frame.data).catch((error: unknown) => {
        if (!(error instanceof ApiError)) logger.error({ err: error }, 'a realtime token could not be checked');
        close(CLOSE_INTERNAL_ERROR, 'the token could not be checked: try again');
      });
    },
    pong() {},
    ended: over,
  };
}

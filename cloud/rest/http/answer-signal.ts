import type { Context } from 'hono';
import type { HttpEnv } from './http-env.js';

/** Aborted when the answer is over: it was sent, or its connection has ended. */
export function answerSignal(c: Context<HttpEnv>): AbortSignal {
  const { outgoing } = c.env;
  // An answer whose turn on its connection never came is not closed with it.
  const { socket } = c.env.incoming;
  const over = new AbortController();
  const end = () => {
    outgoing.off('close', end);
    socket.off('close', end);
    over.abort();
  };
  outgoing.once('close', end);
  socket.once('close', end);
  if (socket.destroyed) end();
  return over.signal;
}

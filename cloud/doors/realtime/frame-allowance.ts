/** How many frames a client may send. Clients need few: a token, a subscription now and then, a pong every 25 s. */
import type { Clock } from '../../../shared/clock.js';
import { CLOSE_POLICY } from './realtime-frames.js';
import type { RealtimeSocket } from './realtime-socket.js';

/** How many frames a client may send at once, and how many more each second. */
const FRAMES_MAX = 100;
const FRAMES_PER_S = 5;

/**
 * @returns a function to call for each frame of the client; it returns false for a frame too many. The first such frame closes the
 * connection with 1008, and after many more the socket is cut
 */
export function refuseFlood({
  ws,
  clock,
  refused,
}: {
  ws: Pick<RealtimeSocket, 'close' | 'terminate'>;
  clock: Clock;
  refused: () => void;
}): () => boolean {
  const isAllowed = createFrameAllowance(clock);
  let excess = 0;
  return () => {
    if (isAllowed()) return true;
    excess += 1;
    if (excess === 1) {
      ws.close(CLOSE_POLICY, 'too many frames');
      refused();
    }
    if (excess > FRAMES_MAX) ws.terminate();
    return false;
  };
}

/** Counts a client's frames, including pings and pongs. The returned function returns false when the client sends more than it may. */
function createFrameAllowance(clock: Pick<Clock, 'monotonic'>): () => boolean {
  let left = FRAMES_MAX;
  let countedAt = clock.monotonic();
  return () => {
    const now = clock.monotonic();
    left = Math.min(FRAMES_MAX, left + ((now - countedAt) / 1_000) * FRAMES_PER_S);
    countedAt = now;
    if (left < 1) return false;
    left -= 1;
    return true;
  };
}

import type { Clock, Timer } from '../../../shared/clock.js';

/** The time between two pings (realtime contract, "Frames"). */
const PING_EVERY_MS = 25_000;
/** The time from a ping to its pong, which is due before the next ping. */
const PONG_TIMEOUT_MS = 20_000;

/** Pings a peer as long as it answers: only a missing pong shows that a phone lost its network. */
export function startHeartbeat(options: { clock: Clock; ping: () => void; onDead: () => void }): {
  pong(): void;
  stop(): void;
} {
  const { clock, ping, onDead } = options;
  let deadline: Timer | undefined;
  let next: Timer;
  const arm = () => {
    next = clock.setTimer(PING_EVERY_MS, () => {
      deadline ??= clock.setTimer(PONG_TIMEOUT_MS, onDead);
      arm();
      ping();
    });
  };
  const pong = () => {
    deadline?.cancel();
    deadline = undefined;
  };
  arm();
  return {
    pong,
    stop() {
      next.cancel();
      pong();
    },
  };
}

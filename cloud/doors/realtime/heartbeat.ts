import type { Clock, Timer } from '../../../shared/clock.js';

export interface HeartbeatLimits {
  /** The time between two pings. */
  pingEveryMs: number;
  /** The time from a ping to its pong. */
  pongTimeoutMs: number;
}

/** Realtime contract, "Frames". The pong is due before the next ping. */
export const HEARTBEAT: HeartbeatLimits = { pingEveryMs: 25_000, pongTimeoutMs: 20_000 };

/** Pings a peer as long as it answers. Nothing else shows that a phone lost its network. */
export function startHeartbeat(options: {
  clock: Clock;
  limits: HeartbeatLimits;
  ping: () => void;
  onDead: () => void;
}): { pong(): void; stop(): void } {
  const { clock, limits, ping, onDead } = options;
  let deadline: Timer | undefined;
  let next: Timer;
  const arm = () => {
    next = clock.setTimer(limits.pingEveryMs, () => {
      deadline ??= clock.setTimer(limits.pongTimeoutMs, onDead);
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

import type { Clock } from '../../../shared/clock.js';

export interface FrameAllowanceLimits {
  /** How many frames a client may send at once. */
  framesMax: number;
  /** How many more it may send each second. */
  framesPerS: number;
}

/** A client has little to say: a token, a subscription now and then, a pong every 25 s. */
export const FRAME_ALLOWANCE: FrameAllowanceLimits = { framesMax: 100, framesPerS: 5 };

/** Counts a client's frames, also pings and pongs. The returned function says false when the client sends more than it may. */
export function createFrameAllowance(clock: Pick<Clock, 'monotonic'>, limits: FrameAllowanceLimits): () => boolean {
  let left = limits.framesMax;
  let countedAt = clock.monotonic();
  return () => {
    const now = clock.monotonic();
    left = Math.min(limits.framesMax, left + ((now - countedAt) / 1_000) * limits.framesPerS);
    countedAt = now;
    if (left < 1) return false;
    left -= 1;
    return true;
  };
}

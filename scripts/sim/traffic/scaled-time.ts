/** A time of day that passes faster than the clock, or stands still. */
import type { Clock } from '../../../shared/clock.js';

export interface ScaledTime {
  /** Wall milliseconds of the traffic. */
  now(): number;
  /** How long until the traffic's clock shows this, in milliseconds of the real one; Infinity while it stands still. */
  until(ms: number): number;
  readonly speed: number;
  setSpeed(speed: number): void;
}

export function createScaledTime(clock: Clock, { from_ms, speed }: { from_ms: number; speed: number }): ScaledTime {
  let base = { shown: from_ms, at: clock.monotonic(), speed };
  const now = () => base.shown + (clock.monotonic() - base.at) * base.speed;
  return {
    now,
    until: (ms) => (base.speed === 0 ? Number.POSITIVE_INFINITY : Math.max(0, (ms - now()) / base.speed)),
    get speed() {
      return base.speed;
    },
    setSpeed(next) {
      base = { shown: now(), at: clock.monotonic(), speed: next };
    },
  };
}

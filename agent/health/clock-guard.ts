import { type Clock, every } from '../../shared/clock.js';

/** No gateway was built before: a clock behind it is wrong (a Pi without a battery starts in 1970). */
const BUILT_MS = Date.UTC(2026, 0, 1);
const SAVE_EVERY_MS = 10 * 60_000;

/** Whether the wall clock can be believed. */
export interface ClockGuard {
  /** True when the wall clock is not behind the latest time the gateway ever knew. */
  isKnown(): boolean;
  /** The best wall time: the cloud's where it was told, else the own one if it can be believed, else null. */
  knownTime(): number | null;
  /** The cloud's time minus the monotonic clock, as measured on the connection. */
  takeCloudOffset(offsetMs: number | null): void;
  close(): void;
}

/**
 * @param deps.floorMs the latest time kept by the store
 * @param deps.saveFloor keeps it; called now and then while the time is known, so that a later start has a floor
 */
export function createClockGuard(deps: {
  clock: Clock;
  floorMs: number;
  saveFloor(wallMs: number): Promise<void>;
  onError(error: unknown): void;
}): ClockGuard {
  const { clock } = deps;
  const floorMs = Math.max(deps.floorMs, BUILT_MS);
  let cloudOffsetMs: number | null = null;
  const isKnown = () => clock.now() >= floorMs;
  const knownTime = () => {
    if (cloudOffsetMs !== null) return clock.monotonic() + cloudOffsetMs;
    return isKnown() ? clock.now() : null;
  };
  const saving = every({
    clock,
    periodMs: SAVE_EVERY_MS,
    work: async () => {
      const nowMs = knownTime();
      if (nowMs !== null) await deps.saveFloor(nowMs);
    },
    onError: deps.onError,
  });
  return {
    isKnown,
    knownTime,
    takeCloudOffset(offsetMs) {
      cloudOffsetMs = offsetMs;
    },
    close: () => saving.cancel(),
  };
}

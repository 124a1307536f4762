import { type Clock, every } from '../../shared/clock.js';
import { BUILT_MS } from '../../shared/decide-device-time.js';

const SAVE_EVERY_MS = 10 * 60_000;
/** A wall clock that differs from the cloud's by more than this is wrong: a slow link alone does not explain it. */
const OFF_MAX_MS = 60_000;

/** Judges whether the wall clock can be trusted. */
export interface ClockGuard {
  /**
   * Whether the wall clock is right. It is compared with the cloud's time once that is known. Until then it is trusted unless it is
   * behind the latest time that the gateway ever knew.
   */
  isKnown(): boolean;
  /** The best wall time, in whole milliseconds: the cloud's when it is known, else the own one if it can be trusted, else null. */
  knownTime(): number | null;
  /** Sets the cloud's time minus the monotonic clock, as measured on the connection. null: it was not measured, and an earlier value stays. */
  setCloudOffset(offsetMs: number | null): void;
  close(): void;
}

/**
 * @param deps.floorMs the latest time kept by the store
 * @param deps.saveFloor keeps that time; called now and then while the time is known, so that a later start has a floor
 */
export function createClockGuard(deps: {
  clock: Clock;
  floorMs: number;
  saveFloor(wallMs: number): Promise<void>;
  onError(error: unknown): void;
}): ClockGuard {
  const { clock } = deps;
  let floorMs = Math.max(deps.floorMs, BUILT_MS);
  let cloudOffsetMs: number | null = null;
  const cloudTime = () => (cloudOffsetMs === null ? null : Math.floor(clock.monotonic() + cloudOffsetMs));
  const isKnown = () => {
    const cloudMs = cloudTime();
    return cloudMs === null ? clock.now() >= floorMs : Math.abs(clock.now() - cloudMs) <= OFF_MAX_MS;
  };
  const knownTime = () => cloudTime() ?? (isKnown() ? clock.now() : null);
  const saving = every({
    clock,
    periodMs: SAVE_EVERY_MS,
    work: async () => {
      const nowMs = knownTime();
      if (nowMs === null) return;
      floorMs = Math.max(floorMs, nowMs);
      await deps.saveFloor(nowMs);
    },
    onError: deps.onError,
  });
  return {
    isKnown,
    knownTime,
    setCloudOffset(offsetMs) {
      cloudOffsetMs = offsetMs ?? cloudOffsetMs;
    },
    close: () => saving.cancel(),
  };
}

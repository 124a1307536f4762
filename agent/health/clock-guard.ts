import { type Clock, every } from '../../shared/clock.js';
import { isClockOff } from '../../shared/troubles/rules.js';
import { BUILT_MS } from '../../shared/decide-device-time.js';
import { DAY_MS } from '../../shared/durations.js';

const SAVE_EVERY_MS = 10 * 60_000;
/**
 * A time server may be wrong for an hour. The clock's time is confirmed once it has run on evenly for as long, as a
 * time server set it.
 */
const PROVEN_MS = DAY_MS;

/** Judges whether the wall clock can be trusted. */
export interface ClockGuard {
  /**
   * Whether the wall clock is right. It is compared with the cloud's time once that is known. Until then it is trusted unless it is
   * behind the latest time that the cloud or a time server confirmed.
   */
  isKnown(): boolean;
  /** The best wall time, in whole milliseconds: the cloud's when it is known, else the own one if it can be trusted, else null. */
  knownTime(): number | null;
  /** Sets the cloud's time minus the monotonic clock, as measured on the connection. null: it was not measured, and an earlier value stays. */
  setCloudOffset(offsetMs: number | null): void;
  close(): void;
}

/**
 * A clock that nobody confirmed proves nothing about later: one that was ahead for a quarter of an hour must not make every right time after it
 * the past.
 * @param deps.confirmedMs the time that `saveConfirmed` kept
 * @param deps.saveConfirmed keeps the latest confirmed time, so that a later start has a floor; the cloud's also when it is earlier
 * @param deps.saveRunning keeps the time of now, as well as it is known
 * @param deps.followsTimeServer whether a time server has set the clock of the device
 */
export function createClockGuard(deps: {
  clock: Clock;
  confirmedMs: number;
  saveConfirmed(wallMs: number): Promise<void>;
  saveRunning(wallMs: number): Promise<void>;
  followsTimeServer(): boolean;
  onError(error: unknown): void;
}): ClockGuard {
  const { clock } = deps;
  let confirmedMs = deps.confirmedMs;
  let cloudOffsetMs: number | null = null;
  const cloudTime = () => (cloudOffsetMs === null ? null : Math.floor(clock.monotonic() + cloudOffsetMs));
  const isKnown = () => {
    const cloudMs = cloudTime();
    return cloudMs === null ? clock.now() >= Math.max(confirmedMs, BUILT_MS) : !isClockOff(clock.now() - cloudMs);
  };
  const knownTime = () => cloudTime() ?? (isKnown() ? clock.now() : null);
  const isProven = createEvenness(deps);

  async function confirm(wallMs: number): Promise<void> {
    confirmedMs = wallMs;
    await deps.saveConfirmed(wallMs);
  }

  const saving = every({
    clock,
    periodMs: SAVE_EVERY_MS,
    work: async () => {
      const isClockProven = isProven();
      const cloudMs = cloudTime();
      if (cloudMs !== null) await confirm(cloudMs);
      else if (isClockProven && clock.now() > confirmedMs) await confirm(clock.now());
      const nowMs = knownTime();
      if (nowMs !== null) await deps.saveRunning(nowMs);
    },
    onError: deps.onError,
  });
  return {
    isKnown,
    knownTime,
    setCloudOffset(offsetMs) {
      if (offsetMs === null) return;
      cloudOffsetMs = offsetMs;
      const cloudMs = cloudTime() ?? confirmedMs;
      // Each connection measures it: a small change is kept with the next round.
      if (Math.abs(cloudMs - confirmedMs) > SAVE_EVERY_MS) confirm(cloudMs).catch(deps.onError);
    },
    close: () => saving.cancel(),
  };
}

/** @returns whether the clock has run on evenly for long enough, as a time server set it; asked now and then */
function createEvenness(of: { clock: Clock; followsTimeServer(): boolean }): () => boolean {
  const { clock } = of;
  let since: { monoMs: number; wallMs: number } | null = null;
  return () => {
    const now = { monoMs: clock.monotonic(), wallMs: clock.now() };
    if (!of.followsTimeServer()) since = null;
    else if (since === null || isClockOff(now.wallMs - since.wallMs - (now.monoMs - since.monoMs))) since = now;
    return since !== null && now.monoMs - since.monoMs >= PROVEN_MS;
  };
}

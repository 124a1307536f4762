/** When something is a trouble: the thresholds of the consoles, of `doctor` and of the measurements. Pure. */
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../durations.js';

/** At and below it a battery is low. */
export const BATTERY_LOW_PERCENT = 20;
/** Records that wait for longer were not handed over although a cloud was there, or there was none. */
export const QUEUE_OLD_MS = 10 * MINUTE_MS;
/** A clock of a gateway or camera that is off by more is wrong: a slow link does not explain it. */
export const CLOCK_OFF_MS = MINUTE_MS;
/** So long after it was set up, or the gateway was started, a thing may be silent: it is waited for. */
export const AWAITED_MS = 15 * MINUTE_MS;
/** A mail is tried for two days. One that was written longer ago and came to nothing is no news. */
export const MAIL_FAILED_MS = 3 * DAY_MS;
/** A mail server that refuses for so long is not merely slow. */
export const MAIL_LATE_MS = HOUR_MS;

export const isBatteryLow = (percent: number | null): boolean => percent !== null && percent <= BATTERY_LOW_PERCENT;

export const isQueueOld = (waitedMs: number): boolean => waitedMs > QUEUE_OLD_MS;

export const isClockOff = (offMs: number): boolean => Math.abs(offMs) > CLOCK_OFF_MS;

/** The whole days until a credential ends, 0 when it has. */
export const daysLeft = (endsMs: number, nowMs: number): number => Math.max(0, Math.floor((endsMs - nowMs) / DAY_MS));

/** Credentials are renewed every day: less than half of the time is only left after as many days without the cloud. */
export const isCredentialLow = (days: number, autonomyDays: number): boolean => days < autonomyDays / 2;

/** @param expectedMs since when the thing is expected to be heard */
export const isAwaited = (expectedMs: number, nowMs: number): boolean => nowMs - expectedMs < AWAITED_MS;

/** An answer in the two hundreds is one that the service counts as received. */
export const isWebhookAnswer = (status: number): boolean => status >= 200 && status < 300;

/** @param mail one that was tried and not sent */
export function isMailFailing(
  { written_ms, is_over }: { written_ms: number; is_over: boolean },
  nowMs: number,
): boolean {
  const ageMs = nowMs - written_ms;
  return is_over ? ageMs < MAIL_FAILED_MS : ageMs > MAIL_LATE_MS;
}

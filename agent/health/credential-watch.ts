/** Logs once when less than half of the time is left that the gateway may act without its cloud, and once when that time was renewed. */
import type { Logger } from '../../shared/logger.js';
import { DAY_MS } from '../../shared/durations.js';

export interface CredentialWatch {
  /**
   * @param left.endsMs when the first of its credentials ends, in wall milliseconds; null: it has none
   * @param left.autonomyDays for how many days the lot lets its gateways act alone
   * @param left.nowMs null: the time is not known
   */
  note(left: { endsMs: number | null; autonomyDays: number; nowMs: number | null }): void;
}

/** Says whether less than half of the time is left. */
export const isCredentialLow = (leftMs: number, autonomyDays: number): boolean => leftMs < (autonomyDays * DAY_MS) / 2;

export function createCredentialWatch({ logger }: { logger: Pick<Logger, 'warn' | 'info'> }): CredentialWatch {
  let wasLow = false;
  return {
    note({ endsMs, autonomyDays, nowMs }) {
      if (endsMs === null || nowMs === null) return;
      const leftMs = endsMs - nowMs;
      const isLow = isCredentialLow(leftMs, autonomyDays);
      if (isLow === wasLow) return;
      wasLow = isLow;
      const fields = { days_left: Math.max(0, Math.floor(leftMs / DAY_MS)), autonomy_days: autonomyDays };
      if (isLow) logger.warn(fields, 'less than half of the time is left that this gateway can open without its cloud');
      else logger.info(fields, 'the credentials of this gateway were renewed');
    },
  };
}

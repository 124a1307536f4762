/** Logs once when less than half of the time is left that the gateway may act without its cloud, and once when that time was renewed. */
import type { Logger } from '../../shared/logger.js';
import { daysLeft, isCredentialLow } from '../../shared/troubles/rules.js';

export interface CredentialWatch {
  /**
   * @param left.endsMs when the first of its credentials ends, in wall milliseconds; null: it has none
   * @param left.autonomyDays for how many days the lot lets its gateways act alone
   * @param left.nowMs null: the time is not known
   */
  note(left: { endsMs: number | null; autonomyDays: number; nowMs: number | null }): void;
}

export function createCredentialWatch({ logger }: { logger: Pick<Logger, 'warn' | 'info'> }): CredentialWatch {
  let wasLow = false;
  return {
    note({ endsMs, autonomyDays, nowMs }) {
      if (endsMs === null || nowMs === null) return;
      const days = daysLeft(endsMs, nowMs);
      const isLow = isCredentialLow(days, autonomyDays);
      if (isLow === wasLow) return;
      wasLow = isLow;
      const fields = { days_left: days, autonomy_days: autonomyDays };
      if (isLow) logger.warn(fields, 'less than half of the time is left that this gateway can open without its cloud');
      else logger.info(fields, 'the credentials of this gateway were renewed');
    },
  };
}

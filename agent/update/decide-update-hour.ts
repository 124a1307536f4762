import { createOffsetAt } from '../../shared/counted-zone.js';
import { DAY_MS, MINUTE_MS } from '../../shared/durations.js';
import type { WantedUpdates } from '../../shared/releases.js';

/**
 * Says whether a time is within hours of a lot's day, in its time zone. null: every time is.
 * @param timeMs wall milliseconds
 */
export function isUpdateHour(hours: WantedUpdates['hours'], timezone: string, timeMs: number): boolean {
  if (hours === null) return true;
  const minute = Math.floor(((timeMs + createOffsetAt(timezone)(timeMs)) % DAY_MS) / MINUTE_MS);
  const { from, to } = hours;
  return from < to ? minute >= from && minute < to : minute >= from || minute < to;
}

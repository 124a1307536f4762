/** From when until when a key opens, as it is typed by the clocks of the lot where it does. */
import type { ConsoleWords } from './en.js';
import type { Faults } from './field-faults.js';
import { inputAt, momentAt } from './lot-time.js';
import { MINUTE_MS } from '../../../shared/durations.js';

/** A beginning that nobody has typed: when the form was opened, whichever clocks show it. */
const FROM_OPENING = 'opening';

export interface KeyTimes {
  /** As `<input type=datetime-local>` has it, or `FROM_OPENING`. */
  start: string;
  /** Empty: without an end. */
  end: string;
  /** When the form was opened: ISO 8601, a whole minute. Kept with what is typed, as a form that is sent again has to say the same. */
  opened: string;
}

/** @param now milliseconds since 1970 */
export const newKeyTimes = (now: number): KeyTimes => ({
  start: FROM_OPENING,
  end: '',
  opened: new Date(Math.floor(now / MINUTE_MS) * MINUTE_MS).toISOString(),
});

/** As the field has it. */
export const startInput = ({ start, opened }: KeyTimes, timezone: string): string =>
  start === FROM_OPENING ? inputAt(Date.parse(opened), timezone) : start;

/** As the service takes them. */
export function keyTimesBody(times: KeyTimes, timezone: string): { start_time: string; end_time?: string } {
  const { start, end, opened } = times;
  return {
    start_time: start === FROM_OPENING ? opened : (momentAt(start, timezone) ?? ''),
    ...(end === '' ? {} : { end_time: momentAt(end, timezone) ?? '' }),
  };
}

/** What is wrong with them, by the names of the service's fields. */
export function keyTimesFaults(times: KeyTimes, timezone: string, { keys, signIn }: ConsoleWords): Faults {
  const start = startInput(times, timezone);
  return {
    ...(start === '' ? { start_time: signIn.missing } : {}),
    ...(start !== '' && times.end !== '' && times.end <= start ? { end_time: keys.endBeforeStart } : {}),
  };
}

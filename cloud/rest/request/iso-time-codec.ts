/** Times as answers show them. */
import { DAY_MS } from '../../../shared/durations.js';

const TWO_DIGITS = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, '0'));

let day = Number.NaN;
let date = '';

/** Writes ISO 8601 in UTC with milliseconds. Most times are of the same day as the one before, so this is several times faster than Date. */
export function isoTime(ms: number): string {
  const ofDay = Math.floor(ms / DAY_MS);
  if (ofDay !== day) {
    date = new Date(ofDay * DAY_MS).toISOString().slice(0, -'00:00:00.000Z'.length);
    day = ofDay;
  }
  const rest = ms - ofDay * DAY_MS;
  const seconds = Math.floor(rest / 1_000);
  const minutes = Math.floor(seconds / 60);
  const hours = TWO_DIGITS[Math.floor(minutes / 60)];
  return `${date}${hours}:${TWO_DIGITS[minutes % 60]}:${TWO_DIGITS[seconds % 60]}.${String(rest % 1_000).padStart(3, '0')}Z`;
}

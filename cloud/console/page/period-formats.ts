/** The names of periods. */
import { countedZone } from '../../../shared/counted-zone.js';
import type { AnalyticsAsked } from './analytics-data.js';
import { words } from './browser.js';

/** How periods are called in the lot's time zone. */
export function periodFormats(step: AnalyticsAsked['step'], timeZone: string) {
  const text = (options: Intl.DateTimeFormatOptions) => {
    const format = new Intl.DateTimeFormat(words.locale, { ...options, timeZone: countedZone(timeZone) });
    return (ms: number) => format.format(ms);
  };
  const day = text({ weekday: 'short', day: 'numeric', month: 'short' });
  const date = text({ day: 'numeric', month: 'short' });
  const time = text({ hour: '2-digit', minute: '2-digit' });
  const month = text({ month: 'long', year: 'numeric' });
  const monthShort = text({ month: 'short', year: '2-digit' });
  const isMidnight = (ms: number) => /^0?0\D00/.test(time(ms));
  const names = {
    hour: (ms: number) => `${day(ms)}, ${time(ms)}`,
    day,
    week: (ms: number) => words.analytics.week(date(ms)),
    month,
  };
  const marks = {
    hour: (ms: number) => (isMidnight(ms) ? day(ms) : time(ms)),
    day: date,
    week: date,
    month: monthShort,
  };
  return { name: names[step], mark: marks[step], day: (iso: string) => date(Date.parse(`${iso}T12:00:00Z`)) };
}

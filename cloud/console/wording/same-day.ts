import { countedZone } from '../../../shared/counted-zone.js';

/** Whether two moments are of the same day where a person is: without its day, a time is taken for today's. @param timezone left out: the browser's */
export function isSameDay(one: Date, other: Date, timezone?: string): boolean {
  const day = new Intl.DateTimeFormat('en-CA', {
    dateStyle: 'short',
    ...(timezone === undefined ? {} : { timeZone: countedZone(timezone) }),
  });
  return day.format(one) === day.format(other);
}

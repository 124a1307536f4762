/** Times of what happened at a lot, for somebody who may be where the clocks show another time. */
import { countedZone } from '../../../shared/counted-zone.js';

/** An account has lots in a few time zones, and a view writes times in a few ways. */
const FORMATS_MAX = 100;
const formats = new Map<string, Intl.DateTimeFormat>();

/** A long list writes hundreds of times at once, and to make a format takes far longer than to use it. */
export function dateFormat(locale: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = locale + JSON.stringify(options);
  const known = formats.get(key);
  if (known !== undefined) return known;
  if (formats.size >= FORMATS_MAX) formats.clear();
  const format = new Intl.DateTimeFormat(locale, options);
  formats.set(key, format);
  return format;
}

/**
 * A moment by the clocks of the lot. Where they show another time than the person's, their zone is named beside it, so that nobody takes
 * one for the other.
 * @param where.timezone of the lot; undefined: the person's. @param where.own the person's; left out: the browser's
 */
export function clockText(
  at: Date,
  options: Intl.DateTimeFormatOptions,
  { locale, timezone, own }: { locale: string; timezone: string | undefined; own?: string },
): string {
  const here = dateFormat(locale, own === undefined ? options : { ...options, timeZone: own }).format(at);
  if (timezone === undefined) return here;
  const timeZone = countedZone(timezone);
  const there = dateFormat(locale, { ...options, timeZone }).format(at);
  if (there === here) return there;
  return dateFormat(locale, { ...options, timeZone, timeZoneName: 'short' }).format(at);
}

/** Whether two moments are of the same day where a person is: without its day, a time is taken for today's. @param timezone left out: the browser's */
export function isSameDay(one: Date, other: Date, timezone?: string): boolean {
  const zone = timezone === undefined ? {} : { timeZone: countedZone(timezone) };
  const day = dateFormat('en-CA', { dateStyle: 'short', ...zone });
  return day.format(one) === day.format(other);
}

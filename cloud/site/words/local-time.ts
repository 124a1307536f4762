import { countedZone } from '../../../shared/counted-zone.js';

/**
 * Writes a time for people at the lot, with the weekday and the name of the time zone.
 * @param ms wall milliseconds
 * @param place.timezone IANA name
 */
export function localTime(ms: number, { locale, timezone }: { locale: string; timezone: string }): string {
  return new Intl.DateTimeFormat(locale, {
    timeZone: countedZone(timezone),
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    timeZoneName: 'short',
  }).format(ms);
}

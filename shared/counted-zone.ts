/**
 * Time zones by the tables of this machine. A name is kept as it was written, and one that an older release of the runtime does not know
 * (`America/Coyhaique`) is counted in UTC: nobody is refused a list or a price by it, and the health of gateways names it.
 */
import { SECOND_MS } from './durations.js';

const known = new Map<string, boolean>();

/** Says whether this machine can count in a time zone. @param name an IANA name */
export function isZoneKnown(name: string): boolean {
  const kept = known.get(name);
  if (kept !== undefined) return kept;
  let isKnown = true;
  try {
    Intl.DateTimeFormat('en', { timeZone: name });
  } catch {
    isKnown = false;
  }
  known.set(name, isKnown);
  return isKnown;
}

/** The time zone in which this machine counts the times of another one: that itself, or UTC. */
export const countedZone = (name: string): string => (isZoneKnown(name) ? name : 'UTC');

/** Returns the function that tells how far a zone's local time is from UTC at a moment, both in milliseconds: local time minus UTC. */
export function createOffsetAt(timezone: string): (epochMs: number) => number {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: countedZone(timezone),
    calendar: 'gregory',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  return (epochMs) => {
    const parts: Record<string, number> = {};
    for (const { type, value } of format.formatToParts(epochMs)) parts[type] = Number(value);
    const { year = 1970, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
    return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(epochMs / SECOND_MS) * SECOND_MS;
  };
}

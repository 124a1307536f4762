/**
 * Time zones by the tables of this machine. A name is kept as it was written, and one that an older release of the runtime does not know
 * (`America/Coyhaique`) is counted in UTC: nobody is refused a list or a price by it, and the health of gateways names it.
 */

const known = new Map<string, boolean>();

/** Whether this machine can count in a time zone. @param name an IANA name */
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

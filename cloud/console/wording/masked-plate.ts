/** Plates as those see them who have not asked for one. */
import { normalisePlate } from '../../../shared/plate/normalise-plate.js';

/** How many characters of a plate are left at each end, by how many it has: what is left is never the most of it. */
const LEFT_OF_LONG = 2;
const LONG = 6;
const HIDDEN = '•••';

/** `ZG•••AB` of `ZG 1234-AB`, `Z•••` of `ZG 12`. It does not tell how long the plate is. */
export function maskedPlate(plate: string): string {
  const characters = [...normalisePlate(plate)];
  if (characters.length === 0) return plate;
  if (characters.length < LONG) return `${characters[0]}${HIDDEN}`;
  return [...characters.slice(0, LEFT_OF_LONG), HIDDEN, ...characters.slice(-LEFT_OF_LONG)].join('');
}

/** Names under which the service has plates: `plate`, `plates`, `entry_license_plate`. */
const OF_PLATES = /(^|_)plates?$/;

/** A record or an event with what is shown of the plates in it. @param show what is shown of one */
export function withShownPlates(value: unknown, show: (plate: string) => string, isPlate = false): unknown {
  if (typeof value === 'string') return isPlate ? show(value) : value;
  if (Array.isArray(value)) return value.map((each) => withShownPlates(each, show, isPlate));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key, withShownPlates(each, show, OF_PLATES.test(key))]),
  );
}

/** A condition of a search as the audit log keeps it (`plate:like:ZG1234`), with what is shown of the plates in it. */
export function conditionWithShownPlates(condition: string, show: (plate: string) => string): string {
  const [, start = '', plates = ''] = /^((?:\w*plates?|receiver_identifier):\w+:)(.*)$/s.exec(condition) ?? [];
  return start === '' ? condition : start + plates.split(',').map(show).join(',');
}

/**
 * Searches the beginning of a push for the name that is its camera's key, where a vendor's fixed path has no room for one. The camera writes
 * its name first, and nothing more is read of a push that does not.
 */

const LOOK_BYTES_MAX = 64 * 1024;
/** The first look. Each further one is at twice as much, so that the looks together cost little more than the last one. */
const LOOK_BYTES_MIN = 1024;

export interface NameSearch {
  /** Takes the next piece; false: the name stands nowhere in what is looked at. */
  add(piece: Uint8Array): boolean;
}

export function createNameSearch(isNamedIn: (beginning: Uint8Array) => boolean): NameSearch {
  const beginning = Buffer.allocUnsafeSlow(LOOK_BYTES_MAX);
  let length = 0;
  let lookAt = LOOK_BYTES_MIN;
  return {
    add(piece) {
      if (lookAt === Infinity) return true;
      const part = piece.subarray(0, LOOK_BYTES_MAX - length);
      beginning.set(part, length);
      length += part.length;
      if (length < lookAt) return true;
      const isNamed = isNamedIn(beginning.subarray(0, length));
      if (!isNamed && length === LOOK_BYTES_MAX) return false;
      lookAt = isNamed ? Infinity : Math.min(LOOK_BYTES_MAX, length * 2);
      return true;
    },
  };
}

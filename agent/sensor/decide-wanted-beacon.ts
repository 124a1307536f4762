/** Decides whether what a beacon advertises is of interest to a sensor driver. */
import type { Beacon, WantedBeacons } from './beacons.js';

/** How many bytes the number of a company or of a 16-bit service has. */
const ID_BYTES = 2;

export function isWantedBeacon(wanted: readonly WantedBeacons[], { kind, bytes, address }: Beacon): boolean {
  if (bytes.length < ID_BYTES) return false;
  const id = (bytes[0] ?? 0) + (bytes[1] ?? 0) * 256;
  return wanted.some(
    (each) =>
      each.kind === kind &&
      (each.id === null || each.id === id) &&
      (each.addresses === null || each.addresses.includes(address)),
  );
}

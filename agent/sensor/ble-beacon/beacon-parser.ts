/** Reads what a beacon advertises of its place, by a layout that is data. */
import type { BeaconLayout } from '../../../shared/drivers/beacon-layout.js';
import type { Beacon, WantedBeacons } from '../beacons.js';

/** Which advertisements a layout is about. @param addresses of the places' beacons, where these are known by them */
export function wantedOf(layout: BeaconLayout, addresses: readonly string[]): WantedBeacons {
  const { company, service, serial } = layout;
  return {
    kind: service === null ? 'manufacturer' : 'service',
    id: service === null ? company : Number.parseInt(service, 16),
    addresses: serial === null ? addresses : null,
  };
}

/** By which name a place knows this beacon: its radio address, or the serial number in its data. null: its data end before that. */
export function sensorOf({ serial }: BeaconLayout, { address, bytes }: Beacon): string | null {
  if (serial === null) return address;
  const found = [...bytes.subarray(serial.byte, serial.byte + serial.length)];
  if (found.length < serial.length) return null;
  if (serial.order === 'little') found.reverse();
  return found.map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

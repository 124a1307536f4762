/** The advertisements of beacons about their place, by a layout. */
import type { BeaconData } from '../../../agent/sensor/beacons.js';
import type { BeaconLayout } from '../../../shared/drivers/beacon-layout.js';
import { hexName } from '../../../shared/drivers/hex-names.js';
import { measuredNumber } from './measured-number.js';

/** For tests and devices without one of their own (Bluetooth assigned numbers). */
const COMPANY_OF_NOBODY = 0xffff;

/** @param of.sensor what the place calls it: its address, or the serial number that its data hold */
export function beaconDataOf(layout: BeaconLayout, of: { sensor: string; isOccupied: boolean }): BeaconData {
  const { company, service, serial, byte, length, order, scale } = layout;
  const bytes = new Uint8Array(Math.max(2, byte + length, serial === null ? 0 : serial.byte + serial.length));
  const id = service === null ? (company ?? COMPANY_OF_NOBODY) : Number.parseInt(service, 16);
  bytes.set([id & 0xff, id >> 8]);
  if (serial !== null) {
    const name = Buffer.from(hexName(of.sensor), 'hex');
    bytes.set(serial.order === 'little' ? name.reverse() : name, serial.byte);
  }
  const isScaled = 'below' in layout.occupied;
  const most = 256 ** length - 1;
  const value = measuredNumber(layout, of.isOccupied, isScaled ? Math.floor(most * scale) : most);
  const written = Math.min(most, isScaled ? Math.round(value / scale) : value);
  const number = length === 1 ? [written] : [written >> 8, written & 0xff];
  bytes.set(order === 'little' ? number.reverse() : number, byte);
  return { kind: service === null ? 'manufacturer' : 'service', bytes };
}

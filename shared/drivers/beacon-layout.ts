/**
 * The layout of a beacon's advertisement as data: its company or service, the position of the state, and how the beacon is identified.
 * Positions count from the first byte of the structure's data, so the two bytes of the company or service are bytes 0 and 1.
 */
import { z } from 'zod';
import { hexName } from './hex-names.js';
import { payloadTableShape } from './payload-table.js';
import { strictObject } from './strict-object.js';

const { port: _port, ...bytesShape } = payloadTableShape;
const SERIAL_BYTES_MAX = 16;
const ADDRESS_BYTES = 6;

const shape = {
  /** The company whose manufacturer data is read (Bluetooth assigned numbers); null: any. */
  company: z.number().int().min(0).max(65_535).nullable().default(null),
  /** The 16-bit service whose data is read, in hexadecimal; null: manufacturer data is read. */
  service: z
    .string()
    .regex(/^[0-9a-fA-F]{4}$/, 'must be four hexadecimal digits, such as fcd2')
    .toLowerCase()
    .nullable()
    .default(null),
  /** The position of the serial number that identifies the beacon; null: the radio address identifies it. */
  serial: strictObject({
    byte: bytesShape.byte,
    length: z.number().int().min(1).max(SERIAL_BYTES_MAX),
    order: bytesShape.order,
  })
    .nullable()
    .default(null),
  ...bytesShape,
};

export const beaconLayoutSchema = strictObject(shape)
  .refine(({ company, service }) => company === null || service === null, 'has company or service, not both')
  .refine(
    ({ company, service, serial }) => serial === null || company !== null || service !== null,
    'with a serial needs company or service: the data of others may hold the same bytes',
  );
export type BeaconLayout = z.output<typeof beaconLayoutSchema>;

/** Returns what is wrong with a place's `sensor`; undefined: nothing. @param mapping of the parking gateway, unchecked */
export function beaconNameProblem(sensor: string, mapping: unknown): string | undefined {
  const layout = beaconLayoutSchema.safeParse(mapping);
  // Another check reports what is wrong with the mapping.
  if (!layout.success) return undefined;
  const { serial } = layout.data;
  const bytes = serial?.length ?? ADDRESS_BYTES;
  const name = hexName(sensor);
  if (/^[0-9a-f]*$/.test(name) && name.length === bytes * 2) return undefined;
  return serial === null
    ? 'must be a Bluetooth address, such as a4:c1:38:00:00:01'
    : `must be the ${bytes} bytes of its serial number in hexadecimal`;
}

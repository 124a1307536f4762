/** A codec turns the raw bytes of one uplink into the sensor's reading of its place. */
import type { SensorItem } from '../../../shared/gateway-config.js';
import type { Occupancy } from '../sensor-source.js';

/** The payload of an uplink with its LoRaWAN port. */
export interface Uplink {
  port: number;
  bytes: Uint8Array;
}

/** The settings of a place that a codec may use. */
export type CodecPlace = Pick<SensorItem['places'][number], 'occupied_below_mm' | 'hysteresis_mm'>;

export interface Decoded {
  /** null: the sensor lives, but says nothing of its place. */
  occupancy: Occupancy | null;
  /** Further values of the payload, for people: a distance in millimetres, a battery in percent, degrees. */
  values: Readonly<Record<string, number | string | boolean>>;
}

/**
 * @param before the place's last known state, from which a hysteresis starts
 * @throws PayloadError
 */
export type SensorCodec = (uplink: Uplink, place: CodecPlace, before: Occupancy | null) => Decoded;

/** The bytes are not what this sensor sends: cut, too long, or of another sensor. */
export class PayloadError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'PayloadError';
  }
}

/** @throws PayloadError unless there are so many bytes */
export function checkLength({ port, bytes }: Uplink, least: number, most: number = least): void {
  if (bytes.length >= least && bytes.length <= most) return;
  const expected = least === most ? String(least) : `${least} to ${most}`;
  throw new PayloadError(`${bytes.length} bytes on port ${port} instead of ${expected}`);
}

export const occupancyOf = (isOccupied: boolean): Occupancy => (isOccupied ? 'occupied' : 'free');

/** @returns -128 to 127 */
export const signedByte = (byte = 0): number => (byte << 24) >> 24;

/** The codecs of LoRa sensors, which turn the bytes of an uplink into occupied or free. This is the only list of their names. */
import { z } from 'zod';

/** The settings of a place that a codec may use, with their limits. Millimetres. */
export const codecSettingsShape = {
  /** Occupied when what is measured is nearer than this. */
  occupied_below_mm: z.number().int().min(0).max(65_535),
  /** Free again only when it is farther than `occupied_below_mm` by more than this. */
  hysteresis_mm: z.number().int().min(0).max(65_535),
};

interface SensorCodecInfo {
  /** The sensor as people write it. */
  label: string;
  /** Which of the place's settings it uses. */
  uses: readonly (keyof typeof codecSettingsShape)[];
}

export const SENSOR_CODECS = {
  'bosch-tps110': { label: 'Bosch TPS110', uses: [] },
  'nwave-g4': { label: 'Nwave G4', uses: [] },
  'milesight-udl': { label: 'Milesight EM310-UDL and EM400-UDL', uses: ['occupied_below_mm', 'hysteresis_mm'] },
} as const satisfies Record<string, SensorCodecInfo>;

export type SensorCodecName = keyof typeof SENSOR_CODECS;

/** What a place's `codec` may be. */
export const sensorCodecSchema = z.enum(Object.keys(SENSOR_CODECS) as [SensorCodecName, ...SensorCodecName[]]);

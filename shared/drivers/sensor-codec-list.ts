/**
 * The codecs of LoRa sensors, which turn the bytes of an uplink into occupied or free. This is the only list of their names. Their limits are
 * in `sensor-codecs.ts`, so that web pages need not load those.
 */
interface SensorCodecInfo {
  /** The name of the sensor for people. */
  label: string;
  /** The settings of a place that the codec uses. */
  uses: readonly ('occupied_below_mm' | 'hysteresis_mm')[];
}

export const SENSOR_CODECS = {
  'bosch-tps110': { label: 'Bosch TPS110', uses: [] },
  'nwave-g4': { label: 'Nwave G4', uses: [] },
  'milesight-udl': { label: 'Milesight EM310-UDL and EM400-UDL', uses: ['occupied_below_mm', 'hysteresis_mm'] },
} as const satisfies Record<string, SensorCodecInfo>;

export type SensorCodecName = keyof typeof SENSOR_CODECS;
export const SENSOR_CODEC_NAMES = Object.keys(SENSOR_CODECS) as [SensorCodecName, ...SensorCodecName[]];

/** The largest distance that a setting of a codec may have, in millimetres. */
export const CODEC_MM_MAX = 65_535;

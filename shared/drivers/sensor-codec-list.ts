/**
 * The codecs of LoRa sensors, which turn the bytes of an uplink into occupied or free. This is the only list of their names. Their limits
 * are in `sensor-codecs.ts`; pages that only choose one have no use for them.
 */
interface SensorCodecInfo {
  /** The sensor as people write it. */
  label: string;
  /** Which of the place's settings it uses. */
  uses: readonly ('occupied_below_mm' | 'hysteresis_mm')[];
}

export const SENSOR_CODECS = {
  'bosch-tps110': { label: 'Bosch TPS110', uses: [] },
  'nwave-g4': { label: 'Nwave G4', uses: [] },
  'milesight-udl': { label: 'Milesight EM310-UDL and EM400-UDL', uses: ['occupied_below_mm', 'hysteresis_mm'] },
} as const satisfies Record<string, SensorCodecInfo>;

export type SensorCodecName = keyof typeof SENSOR_CODECS;
export const SENSOR_CODEC_NAMES = Object.keys(SENSOR_CODECS) as [SensorCodecName, ...SensorCodecName[]];

/** The largest distance that a codec's setting of a place can be. Millimetres. */
export const CODEC_MM_MAX = 65_535;

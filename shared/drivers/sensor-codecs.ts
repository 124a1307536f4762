/** The settings of a place that belong to the codec of its LoRa sensor. */
import { z } from 'zod';
import { CODEC_MM_MAX, SENSOR_CODEC_NAMES } from './sensor-codec-list.js';

export { SENSOR_CODECS, type SensorCodecName } from './sensor-codec-list.js';

/** The settings of a place that a codec may use, with their limits, in millimetres. */
export const codecSettingsShape = {
  /** The place is occupied when the measured distance is shorter than this. */
  occupied_below_mm: z.number().int().min(0).max(CODEC_MM_MAX),
  /** The place is free again only when the distance exceeds `occupied_below_mm` by more than this. */
  hysteresis_mm: z.number().int().min(0).max(CODEC_MM_MAX),
};

/** The allowed values of a place's `codec`. */
export const sensorCodecSchema = z.enum(SENSOR_CODEC_NAMES);

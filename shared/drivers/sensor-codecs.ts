/** What a place may say of the codec of its LoRa sensor. */
import { z } from 'zod';
import { CODEC_MM_MAX, SENSOR_CODEC_NAMES } from './sensor-codec-list.js';

export { SENSOR_CODECS, type SensorCodecName } from './sensor-codec-list.js';

/** The settings of a place that a codec may use, with their limits. Millimetres. */
export const codecSettingsShape = {
  /** Occupied when what is measured is nearer than this. */
  occupied_below_mm: z.number().int().min(0).max(CODEC_MM_MAX),
  /** Free again only when it is farther than `occupied_below_mm` by more than this. */
  hysteresis_mm: z.number().int().min(0).max(CODEC_MM_MAX),
};

/** What a place's `codec` may be. */
export const sensorCodecSchema = z.enum(SENSOR_CODEC_NAMES);

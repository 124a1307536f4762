/** Reads the column `mapping` of a camera. */
import { anyMappingSchema } from '../../../shared/drivers/sensor-mapping.js';

/** The text is checked, because a later version may have written more fields. @throws ZodError for what is no mapping */
export const decodeMapping = (text: string | null): Record<string, unknown> | null =>
  text === null ? null : anyMappingSchema.parse(JSON.parse(text));

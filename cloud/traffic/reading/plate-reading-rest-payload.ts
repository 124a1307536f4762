/** Plate readings as REST shows them. Links to images are `image:<uid>`; the envelope signs them. */
import { z } from '@hono/zod-openapi';
import { TIME_SOURCES } from '../../../shared/decide-device-time.js';
import {
  ACCESS_DECISION_REASONS,
  ACCESS_DECISIONS,
  CAMERA_DIRECTIONS,
  PLATE_SIDES,
  READ_DIRECTIONS,
  VEHICLE_TYPES,
} from '../../../shared/events/event-schemas.js';
import { datetime, id, isoOrNull } from '../../rest/http/answer-schemas.js';
import { plateReadingFields } from './plate-reading-event-payload.js';
import type { PlateReadingDetails } from './reading-detail-queries.js';

/** `estimated`: neither camera nor gateway knew the time, and the cloud estimated it. */
const READING_TIME_SOURCES = [...TIME_SOURCES, 'estimated'] as const;

export const plateReadingSchema = z
  .strictObject({
    id,
    plate: z.string(),
    confidence: z.number().nullable(),
    image_url: z.string().nullable(),
    cropped_image_url: z.string().nullable(),
    direction: z.enum(READ_DIRECTIONS),
    type: z.enum(VEHICLE_TYPES).nullable(),
    make: z.string().nullable(),
    color: z.string().nullable(),
    model: z.string().nullable(),
    country_code: z.string().nullable(),
    session_id: id.nullable(),
    access_decision: z.enum(ACCESS_DECISIONS).nullable(),
    access_decision_reason: z.enum(ACCESS_DECISION_REASONS).nullable(),
    lpr_camera_id: id.nullable(),
    zone_id: id,
    plate_side: z.enum(PLATE_SIDES).nullable(),
    lpr_camera_direction: z.enum(CAMERA_DIRECTIONS).nullable(),
    created_at: datetime,
    updated_at: datetime,
    time_source: z.enum(READING_TIME_SOURCES).nullable(),
    original_plate: z.string().nullable(),
    corrected_by: id.nullable(),
    corrected_at: datetime.nullable(),
  })
  .openapi('PlateReading');

export type PlateReading = z.infer<typeof plateReadingSchema>;

export function representPlateReading({ reading, images }: PlateReadingDetails): PlateReading {
  return {
    ...plateReadingFields(reading, images),
    time_source: reading.time_estimated === 1 ? 'estimated' : reading.time_source,
    original_plate: reading.original_plate,
    corrected_by: reading.corrected_by,
    corrected_at: isoOrNull(reading.corrected_at),
  };
}

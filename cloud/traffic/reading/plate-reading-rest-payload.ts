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
import { datetime, id, isoOrNull } from '../../rest/field/answer-schemas.js';
import { handledFields, representHandled } from './handled-payload.js';
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
    type: z.enum(VEHICLE_TYPES).nullable().describe('The kind of vehicle; null when the camera did not name it.'),
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
    created_at: datetime.describe('When the camera read the plate.'),
    updated_at: datetime,
    time_source: z
      .enum(READING_TIME_SOURCES)
      .nullable()
      .describe(
        'Whose time it was: of the camera (`device`), of the arrival at the gateway (`arrival`), or worked out by the service because neither knew (`estimated`); null when nobody said.',
      ),
    original_plate: z
      .string()
      .nullable()
      .describe('The plate as the camera read it, before a person corrected it; null when nobody did.'),
    corrected_by: id.nullable().describe('The account user who corrected the reading; null when nobody did.'),
    corrected_at: datetime.nullable().describe('When a person corrected the reading; null when nobody did.'),
    ...handledFields,
  })
  .openapi('PlateReading');

/** A reading as its correction answers it. */
export const correctedReadingSchema = z
  .strictObject({
    ...plateReadingSchema.shape,
    fits_session_id: id
      .nullable()
      .describe(
        'The one open session that the refused exit fits since it was corrected: of its plate, begun before it; null where none or several do, or it was ended along.',
      ),
  })
  .openapi('CorrectedPlateReading');

export type PlateReading = z.infer<typeof plateReadingSchema>;

export function representPlateReading({ reading, images }: PlateReadingDetails): PlateReading {
  return {
    ...plateReadingFields(reading, images),
    time_source: reading.time_estimated === 1 ? 'estimated' : reading.time_source,
    original_plate: reading.original_plate,
    corrected_by: reading.corrected_by,
    corrected_at: isoOrNull(reading.corrected_at),
    ...representHandled(reading),
  };
}

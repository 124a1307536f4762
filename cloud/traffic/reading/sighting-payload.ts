/** Sightings as REST shows them. */
import { z } from '@hono/zod-openapi';
import { READ_DIRECTIONS } from '../../../shared/events/event-schemas.js';
import { datetime, id, iso } from '../../rest/field/answer-schemas.js';
import { imageLinks } from '../image/reading-images-payload.js';
import { handledFields, representHandled } from './handled-payload.js';
import type { SightingRow } from './sighting-queries.js';

export const sightingSchema = z
  .strictObject({
    id,
    lpr_camera_id: id,
    zone_id: id,
    direction: z.enum(READ_DIRECTIONS),
    image_url: z.string().nullable(),
    created_at: datetime.describe('When the camera saw the vehicle.'),
    ...handledFields,
  })
  .openapi('Sighting');

export type Sighting = z.infer<typeof sightingSchema>;

export function representSighting(row: SightingRow): Sighting {
  const { lpr_camera_id, zone_id, direction, created_at } = row;
  const { image_url } = imageLinks(row.images);
  const seen = { id: row.id, lpr_camera_id, zone_id, direction, image_url, created_at: iso(created_at) };
  return { ...seen, ...representHandled(row) };
}

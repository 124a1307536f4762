/** Parking places as REST shows them. */
import { z } from '@hono/zod-openapi';
import { OCCUPANCY_STATES } from '../../../shared/events/event-schemas.js';
import { datetime, id, isoOrNull, times, timesOf } from '../../rest/field/answer-schemas.js';
import type { Row } from '../../kernel/store/entry.js';

export const parkingPlaceSchema = z
  .strictObject({
    id,
    lot_id: id,
    zone_id: id,
    name: z.string().nullable(),
    occupancy_status: z.enum(OCCUPANCY_STATES),
    stale_since: datetime.nullable().openapi({
      description:
        'When the sensor was last heard before it fell silent; until then the place was as it is shown. null: it is not silent, or there is none.',
    }),
    parking_gateway_id: id.nullable().describe('The parking gateway of the sensor; null for a place without one.'),
    sensor: z.string().nullable().describe('Which sensor of the parking gateway watches the place; null for none.'),
    codec: z.string().nullable().describe('How the bytes of the sensor are read; null where the driver knows.'),
    occupied_below_mm: z
      .number()
      .int()
      .nullable()
      .describe('The distance in millimetres below which the place is occupied; null where nothing is measured.'),
    hysteresis_mm: z
      .number()
      .int()
      .nullable()
      .describe(
        'How many millimetres farther the distance has to be before the place is free again; null where nothing is measured.',
      ),
    ...times,
  })
  .openapi('ParkingPlace');

export type ParkingPlace = z.infer<typeof parkingPlaceSchema>;

export function representParkingPlace(row: Row<'parking_places'>): ParkingPlace {
  const { lot_id, zone_id, name, occupancy_status } = row;
  const { parking_gateway_id, sensor, codec, occupied_below_mm, hysteresis_mm } = row;
  const isWatched = parking_gateway_id !== null && sensor !== null;
  const stale_since = isoOrNull(isWatched ? row.stale_since : null);
  const watched = { parking_gateway_id, sensor, codec, occupied_below_mm, hysteresis_mm };
  return { id: row.id, lot_id, zone_id, name, occupancy_status, stale_since, ...watched, ...timesOf(row) };
}

/** The representation of zones in the REST interface. */
import { z } from '@hono/zod-openapi';
import { datetime, id, isoOrNull, times, timesOf } from '../../rest/field/answer-schemas.js';
import { occupiedCountOf, type ZoneCounts } from './decide-drift.js';
import type { ZoneRow } from './zone-queries.js';

const countsSchema = z.strictObject({
  sensors: z
    .number()
    .int()
    .nullable()
    .describe('The places whose sensors say that they are occupied; null when no place of the zone has a sensor.'),
  sessions: z.number().int().describe('The open sessions that count as vehicles, as the last recount corrected them.'),
  drift_since: datetime
    .nullable()
    .describe(
      'Since when the two counts have differed by more than a tenth of the places, once it has been an hour; null when they do not.',
    ),
});

export const zoneSchema = z
  .strictObject({
    id,
    account_id: id,
    lot_id: id,
    name: z.string(),
    description: z.string().nullable(),
    spot_count: z.number().int(),
    occupied_count: z.number().int().describe('How many vehicles are in the zone.'),
    counts: countsSchema.describe('How many vehicles there are, as sensors and as sessions say.'),
    tariff_ids: z.array(id),
    occupancy_max_hours: z
      .number()
      .int()
      .describe('The hours after which an open session no longer counts as a vehicle in the zone.'),
    deleted_at: datetime.nullable(),
    ...times,
  })
  .openapi('Zone');

export type Zone = z.infer<typeof zoneSchema>;

/** @param drift_since since when sensors and sessions have differed too much, in wall milliseconds; null: they do not, or not for long enough */
export function representZone(row: ZoneRow, counted: ZoneCounts, drift_since: number | null): Zone {
  const { account_id, lot_id, name, description, spot_count, tariff_ids, occupancy_max_hours } = row;
  const counts = { sensors: counted.sensors, sessions: counted.sessions, drift_since: isoOrNull(drift_since) };
  return {
    id: row.id,
    account_id,
    lot_id,
    name,
    description,
    spot_count,
    occupied_count: occupiedCountOf(counted),
    counts,
    tariff_ids,
    occupancy_max_hours,
    deleted_at: null,
    ...timesOf(row),
  };
}

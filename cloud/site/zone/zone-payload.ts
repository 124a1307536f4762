/** The representation of zones in the REST interface. */
import { z } from '@hono/zod-openapi';
import { datetime, id, isoOrNull, times, timesOf } from '../../rest/http/answer-schemas.js';
import { occupiedCountOf, type ZoneCounts } from './decide-drift.js';
import type { ZoneRow } from './zone-queries.js';

const countsSchema = z.strictObject({
  sensors: z.number().int().nullable(),
  sessions: z.number().int(),
  drift_since: datetime.nullable(),
});

export const zoneSchema = z
  .strictObject({
    id,
    account_id: id,
    lot_id: id,
    name: z.string(),
    description: z.string().nullable(),
    spot_count: z.number().int(),
    occupied_count: z.number().int(),
    counts: countsSchema,
    tariff_ids: z.array(id),
    occupancy_max_hours: z.number().int(),
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

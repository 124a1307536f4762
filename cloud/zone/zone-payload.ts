/** Zones as REST shows them. */
import { z } from '@hono/zod-openapi';
import { datetime, id, times, timesOf } from '../http/answer-schemas.js';
import type { ZoneRow } from './zone-queries.js';

export const zoneSchema = z
  .strictObject({
    id,
    account_id: id,
    lot_id: id,
    name: z.string(),
    description: z.string().nullable(),
    spot_count: z.number().int(),
    occupied_count: z.number().int(),
    tariff_ids: z.array(id),
    occupancy_max_hours: z.number().int(),
    deleted_at: datetime.nullable(),
    ...times,
  })
  .openapi('Zone');

export type Zone = z.infer<typeof zoneSchema>;

export function representZone(row: ZoneRow, occupied_count: number): Zone {
  const { account_id, lot_id, name, description, spot_count, tariff_ids, occupancy_max_hours } = row;
  const counts = { spot_count, occupied_count };
  const settings = { tariff_ids, occupancy_max_hours };
  return {
    id: row.id,
    account_id,
    lot_id,
    name,
    description,
    ...counts,
    ...settings,
    deleted_at: null,
    ...timesOf(row),
  };
}

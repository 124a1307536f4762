/** The representation of lots in the REST interface, and of their places for guests. */
import { z } from '@hono/zod-openapi';
import { datetime, id, isoOrNull, times, timesOf } from '../../rest/field/answer-schemas.js';
import type { Row } from '../../kernel/store/entry.js';

export const lotSchema = z
  .strictObject({
    id,
    lot_cluster_id: id,
    account_id: id,
    name: z.string(),
    address: z.string().describe('The street and number of the lot.'),
    latitude: z.number().nullable(),
    longitude: z.number().nullable(),
    timezone: z.string(),
    offline_exit: z
      .enum(['open', 'deny'])
      .describe(
        'What a gateway that is cut off from the others of its lot does at an exit, when it knows no session of the plate.',
      ),
    autonomy_days: z
      .number()
      .int()
      .describe('For how many days the gateways of the lot can open products without a connection to the service.'),
    update_hours: z.string().nullable(),
    released_at: datetime
      .nullable()
      .describe('Since when everything in the lot is held open in an emergency; null while it is not.'),
    released_by: z
      .string()
      .nullable()
      .describe(
        'The name of who opened everything: a user, an API token, or the gateway at which it was done; null while it is not held open.',
      ),
    ...times,
  })
  .openapi('Lot');

export type Lot = z.infer<typeof lotSchema>;

export function representLot(row: Row<'lots'>): Lot {
  const { account_id, name, address, latitude, longitude, timezone, offline_exit, autonomy_days } = row;
  const place = { address, latitude, longitude, timezone };
  return {
    id: row.id,
    lot_cluster_id: row.id,
    account_id,
    name,
    ...place,
    offline_exit,
    autonomy_days,
    update_hours: row.update_hours,
    released_at: isoOrNull(row.released_at),
    released_by: row.released_by,
    ...timesOf(row),
  };
}

/**
 * Writes the place of a product for guests: `North, Quay 1`.
 * @param name of its lot; null: it is in no lot
 * @param address of the lot, which may be empty
 */
export const placeOfLot = (name: string | null, address: string | null): string =>
  [name ?? '', address ?? ''].filter((part) => part !== '').join(', ');

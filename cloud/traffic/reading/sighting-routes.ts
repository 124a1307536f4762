import { type Endpoint, integerField, listEndpoint, listTable, type ResourceDeps } from '../../rest/entry.js';
import { representSighting, sightingSchema } from './sighting-payload.js';
import { sightingsByIds } from './sighting-queries.js';

export const SIGHTING_LIST = listTable({
  from: 'sightings',
  id: 'sightings.id',
  // Sightings never change.
  changedAt: 'sightings.created_at',
  scope: { account_id: 'sightings.account_id', lot_id: 'sightings.lot_id' },
  filters: {
    lot_id: integerField('sightings.lot_id'),
    zone_id: integerField('sightings.zone_id'),
    lpr_camera_id: integerField('sightings.lpr_camera_id'),
  },
  sorts: {},
  rows: sightingsByIds,
});

/** GET /v2/sightings: vehicles whose plate no camera could read. */
export function sightingEndpoints({ store, clock }: Pick<ResourceDeps, 'store' | 'clock'>): Endpoint[] {
  return [
    listEndpoint({
      path: '/v2/sightings',
      summary: 'List vehicles whose plate could not be read',
      tag: 'Plate readings',
      store,
      clock,
      table: SIGHTING_LIST,
      item: sightingSchema,
      items: (rows) => rows.map(representSighting),
    }),
  ];
}

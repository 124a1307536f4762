import { SIGHTING_LIST } from '../../store/lists/reading-lists.js';
import type { Endpoint } from '../endpoint.js';
import { listEndpoint } from '../list-endpoint.js';
import type { ResourceDeps } from '../resource-endpoints.js';
import { sightingRecord } from '../site-records.js';
import { sightingSchema } from '../site-resources.js';

/** GET /v2/sightings: vehicles whose plate no camera could read. */
export function sightingEndpoints({ store, clock }: Pick<ResourceDeps, 'store' | 'clock'>): Endpoint[] {
  return [
    listEndpoint({
      path: '/v2/sightings',
      summary: 'List vehicles of the last day whose plate could not be read',
      tag: 'Plate readings',
      store,
      clock,
      table: SIGHTING_LIST,
      item: sightingSchema,
      items: (rows) => rows.map(sightingRecord),
    }),
  ];
}

import { type Endpoint, listEndpoint, type ResourceDeps } from '../../rest/entry.js';
import { SIGHTING_LIST } from './sighting-list.js';
import { representSighting, sightingSchema } from './sighting-payload.js';

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

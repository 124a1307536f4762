import { ALL_ROLES } from '../../auth/caller.js';
import type { CloudStore } from '../../store/cloud-store.js';
import { findPlateReadingDetails } from '../../store/queries/single-records.js';
import { type Endpoint, protectedEndpoint } from '../endpoint.js';
import { plateReadingRecord } from '../records.js';
import { plateReadingSchema } from '../resources.js';
import { visibleTo } from '../visibility.js';

/** GET /v2/plate-readings/{id} */
export function plateReadingEndpoints({ store }: { store: CloudStore }): Endpoint[] {
  return [
    protectedEndpoint({
      method: 'get',
      path: '/v2/plate-readings/{id}',
      summary: 'Get a plate reading',
      tag: 'Plate readings',
      roles: ALL_ROLES,
      answer: plateReadingSchema,
      find: async ({ caller, ids }) => visibleTo(caller, await findPlateReadingDetails(store.reader, ids.id)),
      handle: async ({ found }) => plateReadingRecord(found),
    }),
  ];
}

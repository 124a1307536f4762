import type { Clock } from '../../../shared/clock.js';
import { ALL_ROLES } from '../../auth/caller.js';
import type { CloudStore } from '../../store/cloud-store.js';
import { findSessionDetails } from '../../store/queries/single-records.js';
import { type Endpoint, protectedEndpoint } from '../endpoint.js';
import { sessionRecord } from '../records.js';
import { sessionSchema } from '../resources.js';
import { visibleTo } from '../visibility.js';

/** GET /v2/sessions/{id} */
export function sessionEndpoints({ store, clock }: { store: CloudStore; clock: Clock }): Endpoint[] {
  return [
    protectedEndpoint({
      method: 'get',
      path: '/v2/sessions/{id}',
      summary: 'Get a session',
      tag: 'Sessions',
      roles: ALL_ROLES,
      answer: sessionSchema,
      find: async ({ caller, ids }) => visibleTo(caller, await findSessionDetails(store.reader, ids.id)),
      handle: async ({ found }) => sessionRecord(found, clock.now()),
    }),
  ];
}

import { z } from '@hono/zod-openapi';
import { ApiError, NOT_FOUND } from '../../../shared/errors.js';
import { ALL_ROLES } from '../../kernel/auth/entry.js';
import {
  type Endpoint,
  integerField,
  listEndpoint,
  listTable,
  protectedEndpoint,
  type ResourceDeps,
  visibleRow,
} from '../../rest/entry.js';
import { nameOfCaller } from '../../site/entry.js';
import { handledFilters } from './handled-list.js';
import { handledValue } from './handled-payload.js';
import { markHandled, saveIgnored } from './handled-queries.js';
import { representSighting, sightingSchema } from './sighting-payload.js';
import { sightingsByIds } from './sighting-queries.js';

const TAG = 'Plate readings';

export const SIGHTING_LIST = listTable({
  from: 'sightings',
  id: 'sightings.id',
  // Nothing of a sighting changes but that somebody deals with it, which has a filter of its own.
  changedAt: 'sightings.created_at',
  scope: { account_id: 'sightings.account_id', lot_id: 'sightings.lot_id' },
  filters: {
    lot_id: integerField('sightings.lot_id'),
    zone_id: integerField('sightings.zone_id'),
    lpr_camera_id: integerField('sightings.lpr_camera_id'),
    ...handledFilters('sightings'),
  },
  sorts: { handled_at: 'sightings.handled_at' },
  rows: sightingsByIds,
  scopeOf: (row) => row,
});

const handledSchema = z.strictObject({ handled: handledValue });

/** /v2/sightings: shows vehicles whose plate no camera could read, and passes them over. */
export function sightingEndpoints(deps: Pick<ResourceDeps, 'store' | 'clock' | 'configChanged'>): Endpoint[] {
  const { store, clock, configChanged } = deps;
  return [
    listEndpoint({
      path: '/v2/sightings',
      summary: 'List vehicles whose plate could not be read',
      tag: TAG,
      store,
      clock,
      table: SIGHTING_LIST,
      item: sightingSchema,
      items: (rows) => rows.map(representSighting),
    }),
    protectedEndpoint({
      method: 'patch',
      path: '/v2/sightings/{id}',
      summary: 'Pass a vehicle over whose plate could not be read',
      tag: TAG,
      roles: ALL_ROLES,
      body: handledSchema,
      auditValues: ['handled'],
      answer: sightingSchema,
      find: ({ caller, ids }) => visibleRow(store.reader, SIGHTING_LIST, { caller, id: ids.id }),
      async handle({ caller, body, found: { id, lot_id }, change }) {
        const [changed] = await change(async (tx) => {
          const ignored = body.handled === null ? null : { by: await nameOfCaller(tx, caller) };
          await saveIgnored(tx, { table: 'sightings', id }, { ignored, now: clock.now() });
          markHandled(tx, lot_id, configChanged);
          return sightingsByIds(tx, [id]);
        });
        if (changed === undefined) throw new ApiError(NOT_FOUND);
        return representSighting(changed);
      },
    }),
  ];
}

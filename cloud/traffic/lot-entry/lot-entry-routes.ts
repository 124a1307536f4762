import type { RouteConfig } from '@hono/zod-openapi';
import { oncePer } from '../../../shared/once-per.js';
import {
  addHeader,
  type Endpoint,
  integerField,
  listTable,
  readEndpoints,
  type ResourceDeps,
} from '../../rest/entry.js';
import { lotEntryData } from './lot-entry-event-payload.js';
import { lotEntriesByIds } from './lot-entry-queries.js';
import { lotEntrySchema } from './lot-entry-rest-payload.js';

export const LOT_ENTRY_LIST = listTable({
  from: 'lot_entries',
  id: 'lot_entries.id',
  scope: { account_id: 'lot_entries.account_id', lot_id: 'lot_entries.lot_id' },
  filters: {
    lot_id: integerField('lot_entries.lot_id'),
    lpr_camera_id: integerField('lot_entries.lpr_camera_id'),
  },
  sorts: {},
  rows: lotEntriesByIds,
});

/** Lot entries are deprecated since 2026 and served until the end of 2027. */
const DEPRECATED_SINCE_S = Date.UTC(2026, 0, 1) / 1_000;
const SUNSET = new Date(Date.UTC(2028, 0, 1)).toUTCString();

/** GET /v2/lot-entries, GET /v2/lot-entries/{id}: plate readings have replaced them. */
export function lotEntryEndpoints(deps: Pick<ResourceDeps, 'store' | 'clock'>): Endpoint[] {
  return readEndpoints(deps, {
    path: '/v2/lot-entries',
    one: 'lot entry',
    many: 'lot entries',
    tag: 'Lot entries',
    list: LOT_ENTRY_LIST,
    item: lotEntrySchema,
    items: (rows) => rows.map(lotEntryData),
  }).map(deprecated);
}

const asDeprecated = oncePer((route: RouteConfig): RouteConfig => ({ ...route, deprecated: true }));

/** Answers with the headers of a deprecated route (RFC 9745, RFC 8594). */
function deprecated({ route, run }: Endpoint): Endpoint {
  return {
    route: asDeprecated(route),
    run(c, deps) {
      addHeader(c, 'Deprecation', `@${DEPRECATED_SINCE_S}`);
      addHeader(c, 'Sunset', SUNSET);
      addHeader(c, 'Link', '</v2/plate-readings>; rel="successor-version"');
      return run(c, deps);
    },
  };
}

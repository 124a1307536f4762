import { lotEntryData } from '../../lpr/lot-entry-payload.js';
import { LOT_ENTRY_LIST } from '../../store/lists/reading-lists.js';
import type { Endpoint } from '../endpoint.js';
import { readEndpoints, type ResourceDeps } from '../resource-endpoints.js';
import { lotEntrySchema } from '../site-resources.js';

/** Deprecated since 2026, there until the end of 2027. */
const DEPRECATED_SINCE_S = Date.UTC(2026, 0, 1) / 1_000;
const SUNSET = new Date(Date.UTC(2028, 0, 1)).toUTCString();

/** GET /v2/lot-entries, GET /v2/lot-entries/{id}: plate readings have replaced them. */
export function lotEntryEndpoints(deps: Pick<ResourceDeps, 'store' | 'clock'>): Endpoint[] {
  return readEndpoints(deps, {
    path: '/v2/lot-entries',
    one: 'a lot entry',
    many: 'lot entries',
    tag: 'Lot entries',
    table: LOT_ENTRY_LIST,
    item: lotEntrySchema,
    items: (rows) => rows.map(lotEntryData),
  }).map(deprecated);
}

/** RFC 9745, RFC 8594. */
function deprecated({ route, run }: Endpoint): Endpoint {
  return {
    route: { ...route, deprecated: true },
    run(c, deps) {
      c.header('Deprecation', `@${DEPRECATED_SINCE_S}`);
      c.header('Sunset', SUNSET);
      c.header('Link', '</v2/plate-readings>; rel="successor-version"');
      return run(c, deps);
    },
  };
}

/** GET /v2/products/{id}/signal: how well gateways hear a product, for plots and to find the best place of a gateway. */
import { z } from '@hono/zod-openapi';
import type { Clock } from '../../../shared/clock.js';
import { ALL_ROLES, type CloudStore } from '../../kernel/entry.js';
import { datetime, type Endpoint, id, iso, protectedEndpoint, timeParameter, visibleTo } from '../../rest/entry.js';
import { findProductDetails } from './product-detail-queries.js';
import { summariseSignals } from './signal-counts.js';
import { signalsOf } from './signal-queries.js';

const RANGE_DEFAULT_MS = 24 * 3_600_000;

/** dBm */
const rssi = z.number().int();

const signalQuery = z.strictObject({ from: timeParameter.optional(), to: timeParameter.optional() });

const signalSchema = z.array(
  z
    .strictObject({
      hour: datetime,
      gateway_id: id,
      gateway_uuid: z.string().nullable(),
      min_rssi: rssi,
      median_rssi: rssi,
      max_rssi: rssi,
      reports_count: z.number().int(),
    })
    .openapi('SignalHour'),
);

export function signalEndpoint({ store, clock }: { store: Pick<CloudStore, 'reader'>; clock: Clock }): Endpoint {
  return protectedEndpoint({
    method: 'get',
    path: '/v2/products/{id}/signal',
    summary: 'How well gateways heard a product, hour by hour; the last 24 hours unless a range is given',
    tag: 'Products',
    roles: ALL_ROLES,
    query: signalQuery,
    answer: signalSchema,
    find: async ({ caller, ids }) => visibleTo(caller, await findProductDetails(store.reader, ids.id)),
    async handle({ found, query }) {
      const to = query.to ?? clock.now();
      const from = query.from ?? to - RANGE_DEFAULT_MS;
      const hours = await signalsOf(store.reader, { product_id: found.id, from, to });
      return hours.map(({ hour, counts, ...gateway }) => ({
        hour: iso(hour),
        ...gateway,
        ...summariseSignals(counts),
      }));
    },
  });
}

/** GET /v2/products/{id}/signal: how well gateways hear a product, for plots and to find the best place of a gateway. */
import { z } from '@hono/zod-openapi';
import type { Clock } from '../../../shared/clock.js';
import { ALL_ROLES } from '../../kernel/auth/entry.js';
import type { CloudStore } from '../../kernel/store/entry.js';
import {
  beginOf,
  datetime,
  type Endpoint,
  endOf,
  id,
  isDate,
  iso,
  momentParameter,
  protectedEndpoint,
  visibleTo,
} from '../../rest/entry.js';
import { timezoneOfLot } from '../../site/entry.js';
import { findProductDetails } from './product-detail-queries.js';
import { summariseSignals } from './signal-counts.js';
import { signalsOf } from './signal-queries.js';

const RANGE_DEFAULT_MS = 24 * 3_600_000;

/** dBm */
const rssi = z.number().int();

const signalQuery = z.strictObject({ from: momentParameter.optional(), to: momentParameter.optional() });

const signalSchema = z.array(
  z
    .strictObject({
      hour: datetime.describe('When the hour began.'),
      gateway_id: id,
      gateway_uuid: z.string().nullable(),
      min_rssi: rssi.describe('How strongly the product was heard at worst, in dBm.'),
      median_rssi: rssi.describe(
        'How strongly the product was heard as a rule, in dBm: half of the reports are as strong or stronger.',
      ),
      max_rssi: rssi.describe('How strongly the product was heard at best, in dBm.'),
      reports_count: z.number().int().describe('In how many reports the gateway heard the product in that hour.'),
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
    async handle({ found, query, daysAre }) {
      const timezone = await timezoneOfLot(store.reader, found.lot_id);
      if (isDate(query.from) || isDate(query.to)) daysAre(timezone);
      // An hour that begins at the end of a day is of the next one.
      const to = query.to === undefined ? clock.now() : endOf(query.to, timezone) - (isDate(query.to) ? 1 : 0);
      const from = query.from === undefined ? to - RANGE_DEFAULT_MS : beginOf(query.from, timezone);
      const hours = await signalsOf(store.reader, { product_id: found.id, from, to });
      return hours.map(({ hour, counts, ...gateway }) => ({
        hour: iso(hour),
        ...gateway,
        ...summariseSignals(counts),
      }));
    },
  });
}

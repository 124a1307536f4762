/** GET /v2/products/{id}/receptions: which gateways hear a product now, also one that is not paired yet. */
import { z } from '@hono/zod-openapi';
import { ALL_ROLES } from '../../kernel/auth/entry.js';
import type { CloudStore } from '../../kernel/store/entry.js';
import { datetime, type Endpoint, flag, id, iso, protectedEndpoint, visibleTo } from '../../rest/entry.js';
import { findProductDetails } from './product-detail-queries.js';
import type { ProductReceptions } from './product-receptions.js';

const receptionsSchema = z.array(
  z
    .strictObject({
      gateway_id: id,
      rssi: z.number().int().nullable().describe('How strongly the gateway hears it, in dBm; null: not known.'),
      is_proven: flag.describe(
        'Whether the key of the product proves that it is the product: 1 or 0. Until it is paired, anybody may send under its identifier.',
      ),
      heard_at: datetime.describe('When the gateway last said so.'),
    })
    .openapi('Reception'),
);

export function receptionEndpoint(deps: {
  store: Pick<CloudStore, 'reader'>;
  receptions: Pick<ProductReceptions, 'recentAll'>;
}): Endpoint {
  const { store, receptions } = deps;
  return protectedEndpoint({
    method: 'get',
    path: '/v2/products/{id}/receptions',
    summary: 'Which gateways hear a product now, the strongest signal first; also one that is not paired',
    tag: 'Products',
    roles: ALL_ROLES,
    answer: receptionsSchema,
    find: async ({ caller, ids }) => visibleTo(caller, await findProductDetails(store.reader, ids.id)),
    async handle({ found }) {
      const heard = await receptions.recentAll(store.reader, found.id);
      return heard.map(({ gateway_id, rssi, is_proven, heard_at }) => ({
        gateway_id,
        rssi,
        is_proven,
        heard_at: iso(heard_at),
      }));
    },
  });
}

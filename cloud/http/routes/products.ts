import { ALL_ROLES } from '../../auth/caller.js';
import type { CloudStore } from '../../store/cloud-store.js';
import { findProductDetails } from '../../store/queries/single-records.js';
import { type Endpoint, protectedEndpoint } from '../endpoint.js';
import { productRecord } from '../records.js';
import { productSchema } from '../resources.js';
import { visibleTo } from '../visibility.js';

/** GET /v2/products/{id} */
export function productEndpoints({ store }: { store: CloudStore }): Endpoint[] {
  return [
    protectedEndpoint({
      method: 'get',
      path: '/v2/products/{id}',
      summary: 'Get a product',
      tag: 'Products',
      roles: ALL_ROLES,
      answer: productSchema,
      find: async ({ caller, ids }) => visibleTo(caller, await findProductDetails(store.reader, ids.id)),
      handle: async ({ found }) => productRecord(found),
    }),
  ];
}

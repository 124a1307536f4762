import type { ProductReception, ProductReceptions } from '../../../cloud/equipment/product/product-receptions.js';
import type { CloudStore } from '../../../cloud/kernel/store/cloud-store.js';

/** Stores that a gateway hears a product, as its report does. */
export const noteHeard = (
  { store, receptions }: { store: CloudStore; receptions: ProductReceptions },
  product_id: number,
  { gateway_id, rssi }: ProductReception,
): Promise<void> => store.change((tx) => receptions.note(tx, gateway_id, { heard: [{ product_id, rssi }] }));

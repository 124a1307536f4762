/**
 * Remembers where products have their characteristics, because a lookup costs five exchanges. A product does not send the number of its
 * firmware, so the beginning of its advertisement stands for it: company, mark, version of the protocol, type of the product. When the
 * beginning changes, the handles are forgotten. An update that keeps the beginning is noticed at the handles themselves, see `noble-gatt.ts`.
 */
import type { NoblePeripheral, RawAttribute } from './noble-library.js';

/** The handles at which a product's service was found, so that noble finds it there again without a lookup. */
export interface ProductHandles {
  service: RawAttribute;
  characteristics: RawAttribute[];
}

/** A product as it was last heard. */
export type HeardProduct = Pick<NoblePeripheral, 'id' | 'advertisement'>;

export interface HandleCache {
  /** The handles of this product with this firmware; undefined: they have to be looked up. Handles of another firmware are forgotten. */
  recall(product: HeardProduct): ProductHandles | undefined;
  remember(product: HeardProduct, handles: ProductHandles): void;
  forget(address: string): void;
}

const COMPANY_MARK_AND_VERSION_BYTES = 4;

export function createHandleCache(): HandleCache {
  const known = new Map<string, { firmware: string; handles: ProductHandles }>();
  return {
    recall(product) {
      const found = known.get(product.id);
      if (found === undefined || found.firmware === firmwareOf(product)) return found?.handles;
      known.delete(product.id);
      return undefined;
    },
    remember(product, handles) {
      known.set(product.id, { firmware: firmwareOf(product), handles });
    },
    forget: (address) => void known.delete(address),
  };
}

const firmwareOf = ({ advertisement: { manufacturerData } }: HeardProduct): string =>
  manufacturerData?.subarray(0, COMPANY_MARK_AND_VERSION_BYTES).toString('hex') ?? '';

/** How each pair of product and gateway hears each other. */
import { gatewayOfAdapter } from '../../../agent/product/hci/hub-codec.js';

export interface PathSettings {
  inRange: boolean;
  /** dBm */
  rssi: number;
  /** Share of the packets that must be sent again, 0 to 1; at 1 nothing gets through. */
  loss: number;
  /** How long one packet takes. */
  latencyMs: number;
}

export interface Pair {
  /** The product's radio address, which is its device_id. */
  product: string;
  /** The gateway's name on the radio, its UUID; or that of one of its further adapters, whose settings come before the gateway's. */
  central: string;
}

export interface Paths {
  /** Settings of a product towards every gateway. */
  setProduct(product: string, settings: Partial<PathSettings>): void;
  /** Settings of one pair, which override the product's own. */
  setPath(pair: Pair, settings: Partial<PathSettings>): void;
  path(pair: Pair): PathSettings;
}

const DEFAULT_PATH: PathSettings = { inRange: true, rssi: -55, loss: 0, latencyMs: 0 };

/**
 * @param options.defaults settings of paths that were never set
 * @param options.onChange called after each change
 */
export function createPaths(options: {
  defaults?: Partial<PathSettings> | undefined;
  onChange: (product: string) => void;
}): Paths {
  const defaults = { ...DEFAULT_PATH, ...options.defaults };
  const products = new Map<string, Partial<PathSettings>>();
  const pairs = new Map<string, Partial<PathSettings>>();
  return {
    setProduct(product, settings) {
      products.set(product, { ...products.get(product), ...settings });
      options.onChange(product);
    },
    setPath(pair, settings) {
      pairs.set(pairKey(pair), { ...pairs.get(pairKey(pair)), ...settings });
      options.onChange(pair.product);
    },
    path: (pair) => ({
      ...defaults,
      ...products.get(pair.product),
      ...pairs.get(pairKey({ ...pair, central: gatewayOfAdapter(pair.central) })),
      ...pairs.get(pairKey(pair)),
    }),
  };
}

function pairKey(pair: Pair): string {
  return `${pair.product} ${pair.central}`;
}

/** Which gateway hears which product, as they reported last. In memory: after a start every gateway reports within half a minute. */
import type { Clock } from '../../shared/clock.js';

export interface ProductSighting {
  gateway_id: number;
  /** dBm; null: heard, strength unknown. */
  rssi: number | null;
}

export interface ProductSightings {
  /** The gateway reported the product as online. */
  saw(product_id: number, sighting: ProductSighting): void;
  /** The gateway reported the product as offline, or does not hear it any more. */
  lost(product_id: number, gateway_id: number): void;
  /** The gateway is gone, and with it all that it heard. */
  forgetGateway(gateway_id: number): void;
  /** Gateways that reported the product within the time that counts as recent, the strongest signal first. */
  recent(product_id: number): ProductSighting[];
}

export function createProductSightings(deps: { clock: Clock; seenWithinMs: number }): ProductSightings {
  const byProduct = new Map<number, Map<number, ProductSighting & { at: number }>>();
  return {
    saw(product_id, sighting) {
      const gateways = byProduct.get(product_id) ?? new Map();
      byProduct.set(product_id, gateways);
      gateways.set(sighting.gateway_id, { ...sighting, at: deps.clock.monotonic() });
    },
    lost: (product_id, gateway_id) => void byProduct.get(product_id)?.delete(gateway_id),
    forgetGateway(gateway_id) {
      for (const gateways of byProduct.values()) gateways.delete(gateway_id);
    },
    recent(product_id) {
      const oldest = deps.clock.monotonic() - deps.seenWithinMs;
      return [...(byProduct.get(product_id)?.values() ?? [])]
        .filter(({ at }) => at >= oldest)
        .sort((a, b) => (b.rssi ?? -Infinity) - (a.rssi ?? -Infinity) || a.gateway_id - b.gateway_id)
        .map(({ gateway_id, rssi }) => ({ gateway_id, rssi }));
    },
  };
}

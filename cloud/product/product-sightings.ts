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
  /** The gateway heard who calls itself this product and proves nothing: good for a pairing, and for nothing else. */
  sawUnproven(product_id: number, sighting: ProductSighting): void;
  /** The gateway reported the product as offline, or does not hear it any more. */
  lost(product_id: number, gateway_id: number): void;
  /** The gateway is gone, and with it all that it heard. */
  forgetGateway(gateway_id: number): void;
  /** Gateways that reported the product within the time that counts as recent, the strongest signal first. */
  recent(product_id: number): ProductSighting[];
  /** The same of those who heard it, proven or not. */
  recentUnproven(product_id: number): ProductSighting[];
}

type SightingMap = Map<number, Map<number, ProductSighting & { at: number }>>;

export function createProductSightings(deps: { clock: Clock; seenWithinMs: number }): ProductSightings {
  const proven: SightingMap = new Map();
  const unproven: SightingMap = new Map();

  const remember = (map: SightingMap, product_id: number, sighting: ProductSighting) => {
    const gateways = map.get(product_id) ?? new Map<number, ProductSighting & { at: number }>();
    map.set(product_id, gateways);
    gateways.set(sighting.gateway_id, { ...sighting, at: deps.clock.monotonic() });
  };
  const recentOf = (maps: readonly SightingMap[], product_id: number): ProductSighting[] => {
    const oldest = deps.clock.monotonic() - deps.seenWithinMs;
    const heard = new Map(maps.flatMap((map) => [...(map.get(product_id)?.entries() ?? [])]));
    return [...heard.values()]
      .filter(({ at }) => at >= oldest)
      .sort((a, b) => (b.rssi ?? -Infinity) - (a.rssi ?? -Infinity) || a.gateway_id - b.gateway_id)
      .map(({ gateway_id, rssi }) => ({ gateway_id, rssi }));
  };
  return {
    saw: (product_id, sighting) => remember(proven, product_id, sighting),
    sawUnproven: (product_id, sighting) => remember(unproven, product_id, sighting),
    lost: (product_id, gateway_id) => void proven.get(product_id)?.delete(gateway_id),
    forgetGateway(gateway_id) {
      for (const gateways of [...proven.values(), ...unproven.values()]) gateways.delete(gateway_id);
    },
    recent: (product_id) => recentOf([proven], product_id),
    recentUnproven: (product_id) => recentOf([unproven, proven], product_id),
  };
}

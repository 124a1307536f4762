/** Keeps in memory which gateway hears which product. After a start of the cloud every gateway reports within half a minute. */
import type { Clock } from '../../shared/clock.js';

export interface ProductReception {
  gateway_id: number;
  /** dBm; null: heard, strength unknown. */
  rssi: number | null;
}

export interface ProductReceptions {
  /** Notes that the gateway reported the product as online. */
  heard(product_id: number, reception: ProductReception): void;
  /** Notes that the gateway heard an unproven advertisement under this product's name, which is of use only for a pairing. */
  heardUnproven(product_id: number, reception: ProductReception): void;
  /** Notes that the gateway reported the product as offline, or does not hear it any more. */
  lost(product_id: number, gateway_id: number): void;
  /** Forgets everything that a gateway heard, because it is gone. */
  forgetGateway(gateway_id: number): void;
  /** Lists the gateways that reported the product recently, the strongest signal first. */
  recent(product_id: number): ProductReception[];
  /** Lists the gateways that heard it recently, proven or not, the strongest signal first. */
  recentUnproven(product_id: number): ProductReception[];
}

type ReceptionMap = Map<number, Map<number, ProductReception & { at: number }>>;

export function createProductReceptions(deps: { clock: Clock; seenWithinMs: number }): ProductReceptions {
  const proven: ReceptionMap = new Map();
  const unproven: ReceptionMap = new Map();

  const remember = (map: ReceptionMap, product_id: number, reception: ProductReception) => {
    const gateways = map.get(product_id) ?? new Map<number, ProductReception & { at: number }>();
    map.set(product_id, gateways);
    gateways.set(reception.gateway_id, { ...reception, at: deps.clock.monotonic() });
  };
  const recentOf = (maps: readonly ReceptionMap[], product_id: number): ProductReception[] => {
    const oldest = deps.clock.monotonic() - deps.seenWithinMs;
    const found = new Map(maps.flatMap((map) => [...(map.get(product_id)?.entries() ?? [])]));
    return [...found.values()]
      .filter(({ at }) => at >= oldest)
      .sort((a, b) => (b.rssi ?? -Infinity) - (a.rssi ?? -Infinity) || a.gateway_id - b.gateway_id)
      .map(({ gateway_id, rssi }) => ({ gateway_id, rssi }));
  };
  return {
    heard: (product_id, reception) => remember(proven, product_id, reception),
    heardUnproven: (product_id, reception) => remember(unproven, product_id, reception),
    lost: (product_id, gateway_id) => void proven.get(product_id)?.delete(gateway_id),
    forgetGateway(gateway_id) {
      for (const gateways of [...proven.values(), ...unproven.values()]) gateways.delete(gateway_id);
    },
    recent: (product_id) => recentOf([proven], product_id),
    recentUnproven: (product_id) => recentOf([unproven, proven], product_id),
  };
}

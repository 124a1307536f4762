/** Decides which gateway opens which product when a lot is released, so that its gateways work side by side. */
import type { Candidate } from './command-machine.js';

/** Gateways whose signals differ by no more than this hear a product about as well: signals vary by that much anyway. */
const AS_WELL_DB = 10;

export interface ReleaseFacts {
  /** Those that reported the product, the strongest signal first. */
  heard: readonly Candidate[];
  /** The others that may try, though they did not report it. */
  others: readonly Candidate[];
  /** How many attempts run at each gateway. */
  running: ReadonlyMap<number, number>;
  /** Those of them whose attempt is at this product. */
  atProduct: ReadonlySet<number>;
  /** dBm: a weaker signal does not count as heard well. */
  minRssi: number;
}

/**
 * Puts the gateways that may try into their order. A gateway that is at the product already comes first: the product takes one client, and
 * no other gateway hears it meanwhile. Then, among the gateways that hear the product about as well as the best one, the least busy is first.
 */
export function orderForRelease({ heard, others, running, atProduct, minRssi }: ReleaseFacts): Candidate[] {
  const strongest = heard[0]?.rssi ?? null;
  const enough = strongest === null ? Infinity : Math.max(strongest - AS_WELL_DB, minRssi);
  const isHeardAsWell = ({ rssi }: Candidate) => rssi !== null && rssi >= enough;
  const load = ({ gateway_id }: Candidate) => running.get(gateway_id) ?? 0;
  const isAtProduct = ({ gateway_id }: Candidate) => atProduct.has(gateway_id);
  const inOrder = [
    ...heard.filter(isHeardAsWell).toSorted((a, b) => load(a) - load(b)),
    ...heard.filter((each) => !isHeardAsWell(each)),
    ...others,
  ];
  return inOrder.toSorted((a, b) => Number(isAtProduct(b)) - Number(isAtProduct(a)));
}

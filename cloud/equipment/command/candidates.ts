/** Finds the gateways that may try a command, the best first. */
import type { Db, Row } from '../../kernel/store/entry.js';
import { onlineGatewaysOfLot } from '../gateway/gateway-queries.js';
import type { ProductReceptions } from '../product/product-receptions.js';
import type { Candidate } from './command-machine.js';
import { gatewaysAtProduct, runningAttemptCounts } from './command-queries.js';
import { orderForRelease } from './decide-release-order.js';
import { PAIR } from './ordered-command.js';

export interface Candidates {
  /** Lists the gateways that hear the product well enough, the strongest signal first. */
  seeing(db: Db, product_id: number): Promise<Candidate[]>;
  /** Lists them for a pairing. A gateway that cannot prove that it hears the product, because it has no key of it, counts too. */
  seeingToPair(db: Db, product_id: number): Promise<Candidate[]>;
  /** Lists those that may try the command now. */
  candidatesOf(db: Db, command: Row<'commands'>): Promise<Candidate[]>;
}

export function createCandidates(deps: {
  receptions: Pick<ProductReceptions, 'recent' | 'recentUnproven'>;
  /** PRODUCT_MIN_RSSI: the weakest signal that counts as seen. */
  productMinRssi: number;
}): Candidates {
  const { receptions, productMinRssi } = deps;
  const isHeardWell = ({ rssi }: Candidate) => rssi !== null && rssi >= productMinRssi;
  const seeing = async (db: Db, product_id: number): Promise<Candidate[]> =>
    (await receptions.recent(db, product_id)).filter(isHeardWell);
  const seeingToPair = async (db: Db, product_id: number): Promise<Candidate[]> =>
    (await receptions.recentUnproven(db, product_id)).filter(isHeardWell);

  /** An emergency: every gateway of the lot that is online may try, also one that hears the product faintly or not at all. */
  async function inEmergency(db: Db, product_id: number, lot_id: number): Promise<Candidate[]> {
    const heard = await receptions.recent(db, product_id);
    const ids = new Set(heard.map(({ gateway_id }) => gateway_id));
    const others = (await onlineGatewaysOfLot(db, lot_id)).filter((id) => !ids.has(id));
    return orderForRelease({
      heard,
      others: others.map((gateway_id) => ({ gateway_id, rssi: null })),
      running: await runningAttemptCounts(db, [...ids]),
      atProduct: await gatewaysAtProduct(db, product_id),
      minRssi: productMinRssi,
    });
  }

  return {
    seeing,
    seeingToPair,
    async candidatesOf(db, { product_id, lot_id, operation, is_emergency }) {
      if (operation === PAIR) return seeingToPair(db, product_id);
      return lot_id === null || is_emergency === 0 ? seeing(db, product_id) : inEmergency(db, product_id, lot_id);
    },
  };
}

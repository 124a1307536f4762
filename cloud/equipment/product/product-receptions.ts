/** Keeps which gateway hears which product, in the database, because any cloud process may have to choose a gateway. */
import type { Clock } from '../../../shared/clock.js';
import { groupBy } from '../../../shared/grouping.js';
import { deleteProvenReceptions, receptionsSince, saveReceptions } from '../gateway/reception-queries.js';
import type { Db, Row } from '../../kernel/store/entry.js';

export interface ProductReception {
  gateway_id: number;
  /** dBm; null: heard, strength unknown. */
  rssi: number | null;
}

/** The products around one gateway. */
export interface HeardProducts {
  /** Products that it reported as online. */
  heard?: readonly { product_id: number; rssi: number | null }[];
  /** Unproven advertisements under a product's name, which are of use only for a pairing. */
  unproven?: readonly { product_id: number; rssi: number | null }[];
  /** Products that it reported as offline, or does not hear any more. */
  lost?: readonly number[];
}

export interface ProductReceptions {
  note(db: Db, gateway_id: number, said: HeardProducts): Promise<void>;
  /** Lists by product the gateways that reported it recently, the strongest signal first. */
  recentOf(db: Db, product_ids: readonly number[]): Promise<ReadonlyMap<number, ProductReception[]>>;
  /** The same of one product. */
  recent(db: Db, product_id: number): Promise<ProductReception[]>;
  /** Lists the gateways that heard it recently, proven or not, the strongest signal first. */
  recentUnproven(db: Db, product_id: number): Promise<ProductReception[]>;
  /** The same with what is known of each. */
  recentAll(db: Db, product_id: number): Promise<Row<'product_receptions'>[]>;
}

export function createProductReceptions(deps: { clock: Pick<Clock, 'now'>; seenWithinMs: number }): ProductReceptions {
  const since = () => deps.clock.now() - deps.seenWithinMs;

  async function recentOf(db: Db, product_ids: readonly number[]) {
    const rows = (await receptionsSince(db, { product_ids, since: since() })).filter((row) => row.is_proven === 1);
    return new Map(
      [...groupBy(rows, ({ product_id }) => product_id)].map(([id, found]) => [
        id,
        strongestFirst(found).map(receptionOf),
      ]),
    );
  }

  /** Of what a gateway heard both ways, what was proven: it stands last. */
  async function recentAll(db: Db, product_id: number) {
    const rows = await receptionsSince(db, { product_ids: [product_id], since: since() });
    return strongestFirst([...new Map(rows.map((row) => [row.gateway_id, row])).values()]);
  }

  return {
    async note(db, gateway_id, { heard = [], unproven = [], lost = [] }) {
      const rowsOf = (found: NonNullable<HeardProducts['heard']>, is_proven: 0 | 1) =>
        found.map((each) => ({ ...each, gateway_id, is_proven, heard_at: deps.clock.now() }));
      await saveReceptions(db, [...rowsOf(heard, 1), ...rowsOf(unproven, 0)]);
      await deleteProvenReceptions(db, { gateway_id, product_ids: lost });
    },
    recentOf,
    recent: async (db, product_id) => (await recentOf(db, [product_id])).get(product_id) ?? [],
    recentUnproven: async (db, product_id) => (await recentAll(db, product_id)).map(receptionOf),
    recentAll,
  };
}

const receptionOf = ({ gateway_id, rssi }: Row<'product_receptions'>): ProductReception => ({ gateway_id, rssi });

const strongestFirst = (rows: readonly Row<'product_receptions'>[]): Row<'product_receptions'>[] =>
  rows.toSorted((a, b) => (b.rssi ?? -Infinity) - (a.rssi ?? -Infinity) || a.gateway_id - b.gateway_id);

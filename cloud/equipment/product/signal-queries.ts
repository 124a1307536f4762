/** Reads and writes how well gateways heard products, hour by hour. */
import { decodeJson, encodeJson } from '../../../shared/json-text-codec.js';
import type { Db, Tx } from '../../kernel/store/entry.js';
import { type SignalCounts, withSignal } from './signal-counts.js';
import { HOUR_MS } from '../../../shared/durations.js';

/** How long the history is kept. */
export const SIGNALS_KEPT_MS = 30 * 24 * HOUR_MS;

export const hourOf = (ms: number): number => ms - (ms % HOUR_MS);

/** Adds one report of a gateway. The transaction holds the locks of the products' states. */
export async function saveSignals(
  tx: Tx,
  report: { gateway_id: number; heard: readonly { product_id: number; rssi: number }[]; now: number },
): Promise<void> {
  const { gateway_id, heard, now } = report;
  if (heard.length === 0) return;
  const hour = hourOf(now);
  const known = await tx
    .selectFrom('product_signals')
    .select(['product_id', 'counts'])
    .where('hour', '=', hour)
    .where('gateway_id', '=', gateway_id)
    .where(
      'product_id',
      'in',
      heard.map(({ product_id }) => product_id),
    )
    .execute();
  const countsOf = new Map<number, SignalCounts>(known.map((row) => [row.product_id, decodeJson(row.counts)]));
  const rows = heard.map(({ product_id, rssi }) => {
    const counts = encodeJson(withSignal(countsOf.get(product_id) ?? {}, rssi));
    return { product_id, gateway_id, hour, counts };
  });
  await tx
    .insertInto('product_signals')
    .values(rows)
    .onConflict((conflict) =>
      conflict
        .columns(['product_id', 'hour', 'gateway_id'])
        .doUpdateSet(({ ref }) => ({ counts: ref('excluded.counts') })),
    )
    .execute();
}

export interface SignalHour {
  hour: number;
  gateway_id: number;
  /** null: the gateway never had one. */
  gateway_uuid: string | null;
  counts: SignalCounts;
}

/** Lists the hours of a product that overlap with the range, the oldest first. */
export async function signalsOf(
  db: Db,
  asked: { product_id: number; from: number; to: number },
): Promise<SignalHour[]> {
  const rows = await db
    .selectFrom('product_signals')
    .leftJoin('gateways', 'gateways.id', 'product_signals.gateway_id')
    .leftJoin('deleted_gateways', 'deleted_gateways.id', 'product_signals.gateway_id')
    .select(['hour', 'gateway_id', 'counts'])
    .select(({ fn }) => fn.coalesce('gateways.uuid', 'deleted_gateways.uuid').as('gateway_uuid'))
    .where('product_id', '=', asked.product_id)
    .where('hour', '>=', hourOf(asked.from))
    .where('hour', '<=', asked.to)
    .orderBy('hour')
    .orderBy('gateway_id')
    .execute();
  return rows.map((row) => ({ ...row, counts: decodeJson(row.counts) }));
}

export async function pruneSignals(db: Db, before: number): Promise<void> {
  await db.deleteFrom('product_signals').where('hour', '<', before).execute();
}

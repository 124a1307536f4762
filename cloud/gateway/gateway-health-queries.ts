/** Reads and writes how gateways are. */
import { decodeJson, encodeJson } from '../../shared/json-text-codec.js';
import type { GatewayHealthReport } from '../../shared/uplink-reports.js';
import type { Db } from '../store/cloud-store.js';

/** Keeps the latest report of a gateway about itself. */
export async function saveGatewayHealth(
  db: Db,
  { gateway_id, health, now }: { gateway_id: number; health: GatewayHealthReport; now: number },
): Promise<void> {
  const columns = {
    reported_at: now,
    tokens_end_at: health.tokens_end_ms,
    recoveries_count: Object.values(health.radio.recoveries).reduce((sum, count) => sum + count, 0),
    health: encodeJson(health),
  };
  await db
    .insertInto('gateway_health')
    .values({ gateway_id, ...columns })
    .onConflict((conflict) => conflict.column('gateway_id').doUpdateSet(columns))
    .execute();
}

export interface ReportedHealth {
  /** Wall milliseconds. */
  reported_at: number;
  health: GatewayHealthReport;
}

/** null: the gateway never said how it is. */
export async function findGatewayHealth(db: Db, gateway_id: number): Promise<ReportedHealth | null> {
  const row = await db
    .selectFrom('gateway_health')
    .select(['reported_at', 'health'])
    .where('gateway_id', '=', gateway_id)
    .executeTakeFirst();
  return row === undefined ? null : { reported_at: row.reported_at, health: decodeJson(row.health) };
}

/** How many records the gateway had to give up, of those that are still known. */
export async function countLostRecords(db: Db, gateway_id: number): Promise<number> {
  const rows = await db
    .selectFrom('lost_records')
    .select(['from_seq', 'to_seq'])
    .where('gateway_id', '=', gateway_id)
    .execute();
  return rows.reduce((sum, { from_seq, to_seq }) => sum + to_seq - from_seq + 1, 0);
}

/** Sums up how all gateways are: seconds until the first of their credentials ends (null: there is none), and how often they healed themselves. */
export async function sumGatewayHealth(
  db: Db,
  now: number,
): Promise<{ credentials_left_s: number | null; recoveries: number }> {
  const { first_end, recoveries } = await db
    .selectFrom('gateway_health')
    .select(({ fn }) => [
      fn.min<number | null>('tokens_end_at').as('first_end'),
      fn.sum<number | null>('recoveries_count').as('recoveries'),
    ])
    .executeTakeFirstOrThrow();
  return {
    credentials_left_s: first_end === null ? null : Math.max(0, Math.floor((Number(first_end) - now) / 1_000)),
    recoveries: Number(recoveries ?? 0),
  };
}

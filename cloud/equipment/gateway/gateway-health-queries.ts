/** Reads and writes how gateways are. */
import { isZoneKnown } from '../../../shared/counted-zone.js';
import { decodeJson, encodeJson } from '../../../shared/json-text-codec.js';
import type { GatewayHealthReport } from '../../../shared/uplink-reports.js';
import type { GatewayUuid } from '../../../shared/ids.js';
import type { Db } from '../../kernel/store/entry.js';
import { findGatewayByUuid, findGatewaysByUuid } from './gateway-queries.js';

/** Keeps the latest report of a gateway about itself. */
export async function saveGatewayHealth(
  db: Db,
  { gateway_id, health, now }: { gateway_id: number; health: GatewayHealthReport; now: number },
): Promise<void> {
  const columns = {
    reported_at: now,
    tokens_end_at: health.tokens_end_ms,
    recoveries_count: Object.values(health.radio.recoveries).reduce((sum, count) => sum + count, 0),
    frees_count: health.radio.recoveries.free,
    rescans_count: health.radio.recoveries.rescan,
    resets_count: health.radio.recoveries.reset,
    restarts_count: health.radio.recoveries.restart,
    power_cycles_count: health.radio.recoveries.power,
    is_store_ok: health.store.is_ok ? (1 as const) : (0 as const),
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

/** @returns null when the gateway has never reported its health */
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

/** How many records of the gateway were kept aside because they can never be applied, of those that are still known: at most a thousand. */
export async function countKeptAside(db: Db, gateway_id: number): Promise<number> {
  const { count } = await db
    .selectFrom('dead_letters')
    .select(({ fn }) => fn.countAll<number | string>().as('count'))
    .where('gateway_id', '=', gateway_id)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** The number of a gateway's messages that waited because it sent too much, and the time of the last one (wall milliseconds). */
export interface HeldMessages {
  held_count: number;
  held_at: number;
}

/** Adds the counts of one process to the stored ones, which are of all processes. Deleted gateways are left out. */
export async function addHeldMessages(db: Db, counted: ReadonlyMap<GatewayUuid, HeldMessages>): Promise<void> {
  const gateways = await findGatewaysByUuid(db, [...counted.keys()]);
  for (const [uuid, { held_count, held_at }] of counted) {
    const gateway_id = gateways.get(uuid)?.id;
    if (gateway_id === undefined) continue;
    await db
      .insertInto('gateway_holds')
      .values({ gateway_id, held_count, held_at })
      .onConflict((conflict) =>
        conflict.column('gateway_id').doUpdateSet(({ eb, ref, case: when }) => ({
          held_count: eb(ref('gateway_holds.held_count'), '+', held_count),
          held_at: when()
            .when('gateway_holds.held_at', '>', held_at)
            .then(ref('gateway_holds.held_at'))
            .else(held_at)
            .end(),
        })),
      )
      .execute();
  }
}

/** null: none ever was. */
export async function findHeldMessages(db: Db, gateway_id: number): Promise<HeldMessages | null> {
  const row = await db
    .selectFrom('gateway_holds')
    .select(['held_count', 'held_at'])
    .where('gateway_id', '=', gateway_id)
    .executeTakeFirst();
  return row ?? null;
}

/** A message of a gateway that could not be handled: the last one of its channel, and why. */
export interface UnhandledMessage {
  channel: string;
  reason: string;
  /** Wall milliseconds. */
  unhandled_at: number;
}

/** Replaces the earlier message of the channel. Nothing is kept of a gateway that is not known. */
export async function saveUnhandled(db: Db, uuid: GatewayUuid, message: UnhandledMessage): Promise<void> {
  const gateway = await findGatewayByUuid(db, uuid);
  if (gateway === undefined) return;
  const { channel, reason, unhandled_at } = message;
  await db
    .insertInto('gateway_unhandled')
    .values({ gateway_id: gateway.id, channel, reason, unhandled_at })
    .onConflict((conflict) => conflict.columns(['gateway_id', 'channel']).doUpdateSet({ reason, unhandled_at }))
    .execute();
}

export async function forgetUnhandled(db: Db, uuid: GatewayUuid, channel: string): Promise<void> {
  const ofGateway = db.selectFrom('gateways').select('id').where('uuid', '=', uuid);
  await db
    .deleteFrom('gateway_unhandled')
    .where('gateway_id', 'in', ofGateway)
    .where('channel', '=', channel)
    .execute();
}

/** Lists the channels, with their gateways, that have a message that could not be handled. */
export async function unhandledChannels(db: Db): Promise<{ uuid: string | null; channel: string }[]> {
  return db
    .selectFrom('gateway_unhandled')
    .innerJoin('gateways', 'gateways.id', 'gateway_unhandled.gateway_id')
    .select(['gateways.uuid', 'gateway_unhandled.channel'])
    .execute();
}

/** Those of a gateway, the latest first. */
export async function findUnhandled(db: Db, gateway_id: number): Promise<UnhandledMessage[]> {
  return db
    .selectFrom('gateway_unhandled')
    .select(['channel', 'reason', 'unhandled_at'])
    .where('gateway_id', '=', gateway_id)
    .orderBy('unhandled_at', 'desc')
    .orderBy('channel')
    .execute();
}

/** Lists the time zones of a lot and of its cameras that this machine does not know, and so counts in UTC. */
export async function unknownZonesOfLot(db: Db, lot_id: number): Promise<string[]> {
  const zones = await db
    .selectFrom('lots')
    .select('timezone')
    .where('id', '=', lot_id)
    .union(
      db
        .selectFrom('lpr_cameras')
        .innerJoin('zones', 'zones.id', 'lpr_cameras.zone_id')
        .select('lpr_cameras.timezone')
        .where('zones.lot_id', '=', lot_id),
    )
    .execute();
  return zones
    .map(({ timezone }) => timezone)
    .filter((timezone) => !isZoneKnown(timezone))
    .toSorted();
}

/** How many gateways have had messages held since that time. */
export async function countHeldGateways(db: Db, since: number): Promise<{ held: number }> {
  const { held } = await db
    .selectFrom('gateway_holds')
    .select(({ fn }) => fn.countAll<number>().as('held'))
    .where('held_at', '>=', since)
    .executeTakeFirstOrThrow();
  return { held: Number(held) };
}

/**
 * The condition of all gateways: seconds until the first of their credentials ends (null: there is none), how many cannot write what they record, and
 * how often they healed themselves, by step.
 */
export interface SummedHealth {
  credentials_left_s: number | null;
  stores_failed: number;
  recoveries: number;
  frees: number;
  rescans: number;
  resets: number;
  restarts: number;
  power_cycles: number;
}

export async function sumGatewayHealth(db: Db, now: number): Promise<SummedHealth> {
  const found = await db
    .selectFrom('gateway_health')
    .select(({ fn, eb }) => [
      fn.min<number | null>('tokens_end_at').as('first_end'),
      fn
        .sum<number | null>(eb.case().when('is_store_ok', '=', 0).then(eb.lit(1)).else(eb.lit(0)).end())
        .as('stores_failed'),
      fn.sum<number | null>('recoveries_count').as('recoveries'),
      fn.sum<number | null>('frees_count').as('frees'),
      fn.sum<number | null>('rescans_count').as('rescans'),
      fn.sum<number | null>('resets_count').as('resets'),
      fn.sum<number | null>('restarts_count').as('restarts'),
      fn.sum<number | null>('power_cycles_count').as('power_cycles'),
    ])
    .executeTakeFirstOrThrow();
  const { first_end, stores_failed, recoveries, frees, rescans, resets, restarts, power_cycles } = found;
  return {
    credentials_left_s: first_end === null ? null : Math.max(0, Math.floor((Number(first_end) - now) / 1_000)),
    stores_failed: Number(stores_failed ?? 0),
    recoveries: Number(recoveries ?? 0),
    frees: Number(frees ?? 0),
    rescans: Number(rescans ?? 0),
    resets: Number(resets ?? 0),
    restarts: Number(restarts ?? 0),
    power_cycles: Number(power_cycles ?? 0),
  };
}

/** Reads and writes gateways: identity, presence and what the cloud knows of their agents. */
import { groupBy } from '../../../shared/grouping.js';
import { type Db, LOCKS, type NewRow, type Row, type Tx } from '../../kernel/store/entry.js';
import type { consolePasswordColumns } from './console-password.js';

export type GatewayRow = Row<'gateways'>;

/** Finds the gateway that a device with this uuid is. Other accounts may have entered the uuid; only one gateway was claimed under it. */
export async function findGatewayByUuid(db: Db, uuid: string): Promise<GatewayRow | undefined> {
  return (await findGatewaysByUuid(db, [uuid])).get(uuid);
}

/** The same of several devices, by uuid. */
export async function findGatewaysByUuid(db: Db, uuids: readonly string[]): Promise<Map<string, GatewayRow>> {
  const rows = await db
    .selectFrom('gateways')
    .selectAll()
    .where('uuid', 'in', uuids)
    .orderBy(({ eb }) => eb.case().when('public_key', 'is', null).then(1).else(0).end())
    .orderBy('id')
    .execute();
  return new Map(rows.toReversed().flatMap((row) => (row.uuid === null ? [] : [[row.uuid, row]])));
}

/** Whether a gateway cannot be claimed under this uuid: another gateway was, or its account has entered the uuid for another one. */
export async function isUuidUsed(db: Db, gateway: { id: number; account_id: number; uuid: string }): Promise<boolean> {
  const { id, account_id, uuid } = gateway;
  const holder = await db
    .selectFrom('gateways')
    .select('id')
    .where('uuid', '=', uuid)
    .where('id', '!=', id)
    .where((eb) => eb.or([eb('public_key', 'is not', null), eb('account_id', '=', account_id)]))
    .executeTakeFirst();
  return holder !== undefined;
}

export const findGatewayByClaimCode = (db: Db, claim_code_hash: string): Promise<GatewayRow | undefined> =>
  db.selectFrom('gateways').selectAll().where('claim_code_hash', '=', claim_code_hash).executeTakeFirst();

/** Lists the lots that a gateway may write for: the present one first, then those that it has left, the latest first. */
export async function lotsOfGateway(db: Db, gateway: { id: number; lot_id: number | null }): Promise<number[]> {
  return (await lotsOfGateways(db, [gateway])).get(gateway.id) ?? [];
}

/** The same of several gateways, by id. */
export async function lotsOfGateways(
  db: Db,
  gateways: readonly { id: number; lot_id: number | null }[],
): Promise<Map<number, number[]>> {
  const former = await db
    .selectFrom('former_gateway_lots')
    .select(['gateway_id', 'lot_id'])
    .where(
      'gateway_id',
      'in',
      gateways.map(({ id }) => id),
    )
    .orderBy('id', 'desc')
    .execute();
  const formerLots = groupBy(former, ({ gateway_id }) => gateway_id);
  return new Map(
    gateways.map(({ id, lot_id }) => {
      const lots = [...(lot_id === null ? [] : [lot_id]), ...(formerLots.get(id) ?? []).map((row) => row.lot_id)];
      return [id, [...new Set(lots)]];
    }),
  );
}

/** Writes the identity of a gateway at the first use of its claim code. */
export async function enrolGateway(
  db: Db,
  gateway: {
    id: number;
    uuid: string;
    public_key: string;
    mqtt_password_hash: string;
    claimed_code_hash: string;
    /** Left out: it keeps its slot. */
    slot?: number;
    slot_generation?: number;
    /** When this device was claimed first. */
    device_since: number;
    now: number;
  } & ReturnType<typeof consolePasswordColumns>,
): Promise<void> {
  await db
    .updateTable('gateways')
    .set({
      uuid: gateway.uuid,
      public_key: gateway.public_key,
      mqtt_password_hash: gateway.mqtt_password_hash,
      claimed_code_hash: gateway.claimed_code_hash,
      ...(gateway.slot === undefined ? {} : { slot: gateway.slot }),
      ...(gateway.slot_generation === undefined ? {} : { slot_generation: gateway.slot_generation }),
      console_password_sealed: gateway.console_password_sealed,
      console_password_verifier: gateway.console_password_verifier,
      console_password_set_at: gateway.console_password_set_at,
      claimed_at: gateway.now,
      claim_keeps_secrets: 0,
      device_since: gateway.device_since,
      updated_at: gateway.now,
      status: 'offline',
      presence_boot_id: null,
      presence_connection: null,
    })
    .where('id', '=', gateway.id)
    .execute();
}

/** Finds the gateway whose present device has this key and uuid. */
export function findGatewayByDevice(
  db: Db,
  { uuid, public_key }: { uuid: string; public_key: string },
): Promise<GatewayRow | undefined> {
  return db
    .selectFrom('gateways')
    .selectAll()
    .where('uuid', '=', uuid)
    .where('public_key', '=', public_key)
    .executeTakeFirst();
}

export async function saveGatewayPresence(
  db: Db,
  gateway: {
    id: number;
    status: 'online' | 'offline';
    boot_id: string;
    connection: number;
    now: number;
    agent_version?: string;
  },
): Promise<void> {
  const { agent_version } = gateway;
  await db
    .updateTable('gateways')
    .set({
      status: gateway.status,
      presence_boot_id: gateway.boot_id,
      presence_connection: gateway.connection,
      last_seen: gateway.now,
      ...(agent_version === undefined ? {} : { agent_version }),
    })
    .where('id', '=', gateway.id)
    .execute();
}

export async function saveGatewayOffline(db: Db, gateway_id: number): Promise<void> {
  await db.updateTable('gateways').set({ status: 'offline' }).where('id', '=', gateway_id).execute();
}

export async function saveGatewaySeen(db: Db, gateway: { id: number; now: number }): Promise<void> {
  await db.updateTable('gateways').set({ last_seen: gateway.now }).where('id', '=', gateway.id).execute();
}

export function onlineGateways(db: Db): Promise<GatewayRow[]> {
  return db.selectFrom('gateways').selectAll().where('status', '=', 'online').orderBy('id').execute();
}

/** Finds the uuid of a gateway; null: the gateway is unknown, or not claimed. */
export async function findGatewayUuid(db: Db, id: number): Promise<string | null> {
  const gateway = await db.selectFrom('gateways').select('uuid').where('id', '=', id).executeTakeFirst();
  return gateway?.uuid ?? null;
}

/** Finds under which uuid a gateway is reached, and whether it is connected. */
export const findGatewayLink = (db: Db, id: number): Promise<Pick<GatewayRow, 'uuid' | 'status'> | undefined> =>
  db.selectFrom('gateways').select(['uuid', 'status']).where('id', '=', id).executeTakeFirst();

/** Finds the name of a gateway; null: it is unknown. */
export async function findGatewayName(db: Db, id: number): Promise<string | null> {
  const gateway = await db.selectFrom('gateways').select('name').where('id', '=', id).executeTakeFirst();
  return gateway?.name ?? null;
}

/** Lists the gateways that a device was claimed as, by their uuids. */
export function claimedGateways(db: Db): Promise<GatewayRow[]> {
  return db.selectFrom('gateways').selectAll().where('mqtt_password_hash', 'is not', null).orderBy('id').execute();
}

export async function gatewayIdsOfLot(db: Db, lot_id: number): Promise<number[]> {
  const rows = await db.selectFrom('gateways').select('id').where('lot_id', '=', lot_id).orderBy('id').execute();
  return rows.map(({ id }) => id);
}

export async function onlineGatewaysOfLot(db: Db, lot_id: number): Promise<number[]> {
  const gateways = await db
    .selectFrom('gateways')
    .select('id')
    .where('lot_id', '=', lot_id)
    .where('status', '=', 'online')
    .orderBy('id')
    .execute();
  return gateways.map(({ id }) => id);
}

export const gatewaysByIds = (db: Db, ids: readonly number[]): Promise<Row<'gateways'>[]> =>
  db.selectFrom('gateways').selectAll().where('id', 'in', ids).execute();

/** Lists the slots of a lot's gateways. */
export async function slotsOfLot(tx: Tx, lot_id: number): Promise<Set<number>> {
  await tx.lock(LOCKS.gatewaySlots);
  const rows = await tx.selectFrom('gateways').select('slot').where('lot_id', '=', lot_id).execute();
  return new Set(rows.map(({ slot }) => slot));
}

export async function countGateways(db: Db): Promise<{ claimed: number; online: number }> {
  const { claimed, online } = await db
    .selectFrom('gateways')
    .select(({ fn, eb }) => [
      fn.count<number>('public_key').as('claimed'),
      fn.sum<number | null>(eb.case().when('status', '=', 'online').then(eb.lit(1)).else(eb.lit(0)).end()).as('online'),
    ])
    .executeTakeFirstOrThrow();
  return { claimed: Number(claimed), online: Number(online ?? 0) };
}

/** Keeps the uuid of a gateway that is being deleted: the history names it. */
export async function keepGateway(tx: Db, gateway: NewRow<'deleted_gateways'>): Promise<void> {
  await tx.insertInto('deleted_gateways').values(gateway).execute();
}

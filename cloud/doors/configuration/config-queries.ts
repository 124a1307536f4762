/** Reads what the configuration sections of a gateway consist of (`shared/gateway-config.ts`). */
import { END_OF_MEMBER, memberLasts } from '../../guests/entry.js';
import type { Db, Row } from '../../kernel/store/entry.js';

export interface ConfigGateway {
  id: number;
  uuid: string | null;
  name: string;
  account_id: number;
  lot_id: number | null;
  /** Of its device, which gets no secrets but its own; null: none has claimed it. */
  public_key: string | null;
  slot: number;
  slot_generation: number;
  console_password_verifier: Row<'gateways'>['console_password_verifier'];
  lot: Pick<Row<'lots'>, 'name' | 'timezone' | 'offline_exit' | 'autonomy_days' | 'update_hours'> | null;
}

export async function findConfigGateway(db: Db, gateway_id: number): Promise<ConfigGateway | null> {
  const gateway = await db
    .selectFrom('gateways')
    .select(['id', 'uuid', 'name', 'account_id', 'lot_id', 'public_key', 'slot', 'slot_generation'])
    .select('console_password_verifier')
    .where('id', '=', gateway_id)
    .executeTakeFirst();
  if (gateway === undefined) return null;
  const lot =
    gateway.lot_id === null
      ? undefined
      : await db
          .selectFrom('lots')
          .select(['name', 'timezone', 'offline_exit', 'autonomy_days', 'update_hours'])
          .where('id', '=', gateway.lot_id)
          .executeTakeFirst();
  return { ...gateway, lot: lot ?? null };
}

/** Lists the claimed gateways of a lot, also those that have a new code; null: those in no lot. */
export function claimedGatewaysOf(
  db: Db,
  lot_id: number | null,
): Promise<Pick<Row<'gateways'>, 'id' | 'uuid' | 'name'>[]> {
  return db
    .selectFrom('gateways')
    .select(['id', 'uuid', 'name'])
    .where('lot_id', lot_id === null ? 'is' : '=', lot_id)
    .where('mqtt_password_hash', 'is not', null)
    .orderBy('id')
    .execute();
}

export type ConfigProduct = Pick<
  Row<'products'>,
  'id' | 'device_id' | 'name' | 'product_type_id' | 'zone_id' | 'master_key_sealed' | 'pairing_epoch'
>;

export function configProducts(db: Db, lot_id: number): Promise<ConfigProduct[]> {
  return db
    .selectFrom('products')
    .select(['id', 'device_id', 'name', 'product_type_id', 'zone_id', 'master_key_sealed', 'pairing_epoch'])
    .where('lot_id', '=', lot_id)
    .orderBy('id')
    .execute();
}

export type ConfigCamera = Omit<Row<'lpr_cameras'>, 'account_id'> & { product_device_id: string | null };

/** Lists the cameras of a gateway that are in its lot. */
export function configCameras(db: Db, gateway: { id: number; lot_id: number }): Promise<ConfigCamera[]> {
  return db
    .selectFrom('lpr_cameras')
    .innerJoin('zones', 'zones.id', 'lpr_cameras.zone_id')
    .leftJoin('products', (join) =>
      join.onRef('products.id', '=', 'lpr_cameras.product_id').on('products.lot_id', '=', gateway.lot_id),
    )
    .selectAll('lpr_cameras')
    .select('products.device_id as product_device_id')
    .where('lpr_cameras.gateway_id', '=', gateway.id)
    .where('zones.lot_id', '=', gateway.lot_id)
    .orderBy('lpr_cameras.id')
    .execute();
}

export type ConfigZone = Pick<Row<'zones'>, 'id' | 'name' | 'spot_count' | 'occupancy_max_hours'> & {
  has_tariff: boolean;
};

export async function configZones(db: Db, lot_id: number): Promise<ConfigZone[]> {
  const zones = await db
    .selectFrom('zones')
    .select(['id', 'name', 'spot_count', 'occupancy_max_hours'])
    .where('lot_id', '=', lot_id)
    .orderBy('id')
    .execute();
  const priced = await db
    .selectFrom('zone_tariffs')
    .innerJoin('zones', 'zones.id', 'zone_tariffs.zone_id')
    .select('zone_tariffs.zone_id')
    .distinct()
    .where('zones.lot_id', '=', lot_id)
    .execute();
  const withTariff = new Set(priced.map((row) => row.zone_id));
  return zones.map((zone) => ({ ...zone, has_tariff: withTariff.has(zone.id) }));
}

/** Lists the zones in which the plates of group members are whitelisted, now or later. Who is blocked is not told to gateways. */
export function configMemberPlates(
  db: Db,
  lot: { lot_id: number; now: number },
): Promise<{ plate: string; zone_id: number; start_ms: number | null; end_ms: number | null }[]> {
  return db
    .selectFrom('member_plates')
    .innerJoin('members', 'members.id', 'member_plates.member_id')
    .innerJoin('group_members', 'group_members.member_id', 'members.id')
    .innerJoin('group_zones', 'group_zones.group_id', 'group_members.group_id')
    .innerJoin('zones', 'zones.id', 'group_zones.zone_id')
    .select(['member_plates.plate_normalised as plate', 'zones.id as zone_id'])
    .select(['members.valid_from as start_ms', END_OF_MEMBER.as('end_ms')])
    .distinct()
    .where('zones.lot_id', '=', lot.lot_id)
    .where(memberLasts(lot.now))
    .orderBy('plate')
    .orderBy('zone_id')
    .orderBy('start_ms')
    .orderBy('end_ms')
    .execute();
}

/** Lists the plates that are bound to products. */
export function configBoundPlates(db: Db, lot_id: number): Promise<{ plate: string; product_id: number }[]> {
  return db
    .selectFrom('bound_licenses')
    .innerJoin('products', 'products.id', 'bound_licenses.product_id')
    .select(['bound_licenses.plate_normalised as plate', 'products.id as product_id'])
    .distinct()
    .where('products.lot_id', '=', lot_id)
    .where('bound_licenses.plate_normalised', '!=', '')
    .orderBy('plate')
    .orderBy('product_id')
    .execute();
}

/** Lists the active keys of license plates that have not ended, with the products that they open. */
export function configKeyPlates(
  db: Db,
  lot: { lot_id: number; now: number },
): Promise<{ plate: string; product_id: number; start_ms: number; end_ms: number | null }[]> {
  return db
    .selectFrom('key_logs')
    .innerJoin('operation_tokens', 'operation_tokens.id', 'key_logs.operation_token_id')
    .innerJoin('products', 'products.id', 'key_logs.product_id')
    .select([
      'key_logs.plate_normalised as plate',
      'products.id as product_id',
      'operation_tokens.start_time as start_ms',
      'operation_tokens.end_time as end_ms',
    ])
    .distinct()
    .where('products.lot_id', '=', lot.lot_id)
    .where('key_logs.plate_normalised', '!=', '')
    .where('key_logs.deleted_at', 'is', null)
    .where('operation_tokens.status', '=', 'active')
    .where((eb) => eb.or([eb('operation_tokens.end_time', 'is', null), eb('operation_tokens.end_time', '>', lot.now)]))
    .orderBy('plate')
    .orderBy('product_id')
    .orderBy('start_ms')
    .orderBy('end_ms')
    .$narrowType<{ plate: string }>()
    .execute();
}

export type ConfigSession = Pick<Row<'sessions'>, 'uid' | 'plate_normalised' | 'zone_id' | 'created_at' | 'ended_at'>;

/** Lists the open sessions, and those that a look-alike ended since `endedAfter`. */
export async function configSessions(db: Db, lot: { lot_id: number; endedAfter: number }): Promise<ConfigSession[]> {
  const sessions = db
    .selectFrom('sessions')
    .select(['uid', 'plate_normalised', 'zone_id', 'created_at', 'ended_at'])
    .where('lot_id', '=', lot.lot_id);
  const open = await sessions.where('ended_at', 'is', null).execute();
  const confused = await sessions.where('ended_at', '>', lot.endedAfter).where('ended_by_look_alike', '=', 1).execute();
  return [...open, ...confused];
}

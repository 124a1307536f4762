/** A car park of one account, and a rival's, as the gateways' side of the cloud needs them. */
import { createReleaseLinks } from '../../../cloud/equipment/release/release-links.js';
import { alignMemberPlates } from '../../../cloud/guests/member/member-queries.js';
import { createSecrets, hashToken, type Secrets } from '../../../cloud/kernel/secrets/secrets.js';
import type { CloudStore, Db } from '../../../cloud/kernel/store/cloud-store.js';
import { insertRow } from '../../../cloud/kernel/store/row-queries.js';
import { keepTariffVersion } from '../../../cloud/traffic/tariff/tariff-version-queries.js';
import type { NewRow } from '../../../cloud/kernel/store/schema.js';
import type { GatewayUuid } from '../../../shared/ids.js';
import { accountRow } from '../../conformance/account-row.js';

export const LINK_SERVER_KEY = new Uint8Array(32).fill(7);
export const secrets: Secrets = createSecrets(LINK_SERVER_KEY);
export const releaseLinks = createReleaseLinks({ derive: secrets.derive, baseUrl: () => 'https://cloud.example' });

export const SITE_MADE_MS = Date.UTC(2026, 0, 1);
const times = { created_at: SITE_MADE_MS, updated_at: SITE_MADE_MS };

export const NORTH_GATEWAY = 'aaaaaaaa-1111-4111-8111-111111111111' as GatewayUuid;
export const SECOND_GATEWAY = '22222222-2222-4222-8222-222222222222' as GatewayUuid;
export const RIVAL_GATEWAY = '33333333-3333-4333-8333-333333333333' as GatewayUuid;
/** Of Harbour, in no lot. */
export const SPARE_GATEWAY = '44444444-4444-4444-8444-444444444444' as GatewayUuid;
export const passwordOf = (uuid: GatewayUuid): string => `password of ${uuid}`;

export interface LinkSite {
  account: number;
  rivalAccount: number;
  lot: number;
  rivalLot: number;
  zone: number;
  lowerZone: number;
  rivalZone: number;
  barrier: number;
  gate: number;
  rivalProduct: number;
  entryCamera: number;
  exitCamera: number;
  standaloneCamera: number;
  rivalCamera: number;
  gateway: number;
  secondGateway: number;
  rivalGateway: number;
  spareGateway: number;
  /** Of the zone, of the group of the members. */
  tariff: number;
  memberTariff: number;
  group: number;
}

export function seedLinkSite(store: CloudStore): Promise<LinkSite> {
  return store.change(async (tx) => {
    const account = await insertId(tx, 'accounts', accountRow('Harbour'));
    const rivalAccount = await insertId(tx, 'accounts', accountRow('Rival'));
    const lot = await insertId(tx, 'lots', lotRow(account, 'North'));
    const rivalLot = await insertId(tx, 'lots', lotRow(rivalAccount, 'Rival lot'));
    const zone = await insertId(tx, 'zones', zoneRow(account, lot, 'Level 0'));
    const lowerZone = await insertId(tx, 'zones', zoneRow(account, lot, 'Level -1'));
    const rivalZone = await insertId(tx, 'zones', zoneRow(rivalAccount, rivalLot, 'Rival level'));
    const tariff = await insertId(tx, 'tariffs', tariffRow(account, 'Public', 'EUR'));
    const memberTariff = await insertId(tx, 'tariffs', tariffRow(account, 'Members', 'JPY'));
    for (const id of [tariff, memberTariff]) await keepTariffVersion(tx, id);
    await tx.insertInto('zone_tariffs').values({ zone_id: zone, tariff_id: tariff, position: 0 }).execute();
    const place = { account_id: account, lot_id: lot, zone_id: zone };
    const barrier = await insertId(tx, 'products', productRow({ ...place, device_id: 'a4c138000001', type: 1 }));
    const gate = await insertId(tx, 'products', productRow({ ...place, device_id: 'a4c138000002', type: 2 }));
    const rivalPlace = { account_id: rivalAccount, lot_id: rivalLot, zone_id: rivalZone };
    const rivalProduct = await insertId(
      tx,
      'products',
      productRow({ ...rivalPlace, device_id: 'a4c138000003', type: 1 }),
    );
    const claimed = async (uuid: GatewayUuid, of: { account_id: number; lot_id: number | null; slot: number }) =>
      insertId(tx, 'gateways', { ...gatewayRow({ ...of, name: uuid.slice(0, 1) }), ...claimedAs(uuid) });
    const gateway = await claimed(NORTH_GATEWAY, { account_id: account, lot_id: lot, slot: 1 });
    const secondGateway = await claimed(SECOND_GATEWAY, { account_id: account, lot_id: lot, slot: 2 });
    const rivalGateway = await claimed(RIVAL_GATEWAY, { account_id: rivalAccount, lot_id: rivalLot, slot: 1 });
    const spareGateway = await claimed(SPARE_GATEWAY, { account_id: account, lot_id: null, slot: 1 });
    const ours = { account_id: account, zone_id: zone, gateway_id: gateway };
    const entryCamera = await insertId(tx, 'lpr_cameras', {
      ...cameraRow({ ...ours, device_id: 'cam-in', product_id: barrier }),
      password_sealed: secrets.seal('camera_password', 'secret'),
      push_key_sealed: secrets.seal('camera_push_key', 'path secret'),
    });
    const exitCamera = await insertId(tx, 'lpr_cameras', {
      ...cameraRow({ ...ours, device_id: 'cam-out', product_id: gate }),
      lpr_position: 'out',
      gateway_id: secondGateway,
    });
    const standaloneCamera = await insertId(
      tx,
      'lpr_cameras',
      cameraRow({ ...ours, device_id: 'cam-inner', product_id: null }),
    );
    const rivalCamera = await insertId(
      tx,
      'lpr_cameras',
      cameraRow({
        account_id: rivalAccount,
        zone_id: rivalZone,
        gateway_id: rivalGateway,
        device_id: 'cam-in',
        product_id: rivalProduct,
      }),
    );
    const group = await insertId(tx, 'groups', { account_id: account, name: 'Residents', description: '', ...times });
    await tx.insertInto('group_zones').values({ group_id: group, zone_id: zone }).execute();
    await tx.insertInto('group_tariffs').values({ group_id: group, tariff_id: memberTariff, position: 0 }).execute();
    await addMember(tx, { account_id: account, group_id: group, plate: 'ZGMIA1' });
    await bindLicense(tx, { product_id: barrier, plate: 'ZG777BB' });
    return {
      account,
      rivalAccount,
      lot,
      rivalLot,
      zone,
      lowerZone,
      rivalZone,
      barrier,
      gate,
      rivalProduct,
      entryCamera,
      exitCamera,
      standaloneCamera,
      rivalCamera,
      gateway,
      secondGateway,
      rivalGateway,
      spareGateway,
      tariff,
      memberTariff,
      group,
    };
  });
}

export async function addMember(
  tx: Db,
  member: { account_id: number; group_id: number; plate: string },
): Promise<number> {
  const { account_id, group_id, plate } = member;
  const texts = { name: plate, description: '', email: '', license_plate: plate, plate_normalised: plate };
  const id = await insertId(tx, 'members', {
    account_id,
    ...texts,
    plates: JSON.stringify(plate === '' ? [] : [plate]),
    ...times,
  });
  await alignMemberPlates(tx, id);
  await tx.insertInto('group_members').values({ group_id, member_id: id }).execute();
  return id;
}

export function bindLicense(tx: Db, bound: { product_id: number; plate: string }): Promise<number> {
  const { product_id, plate } = bound;
  return insertId(tx, 'bound_licenses', {
    product_id,
    license_plate: plate,
    plate_normalised: plate,
    name: '',
    ...times,
  });
}

/** A gateway that waits to be claimed. */
export function gatewayRow(of: {
  account_id: number;
  lot_id: number | null;
  slot: number;
  name: string;
}): NewRow<'gateways'> {
  return {
    ...of,
    uuid: null,
    status: 'offline',
    agent_version: null,
    last_seen: null,
    claim_code_hash: null,
    claim_expires_at: null,
    claimed_at: null,
    public_key: null,
    mqtt_password_hash: null,
    slot_generation: 0,
    presence_boot_id: null,
    presence_connection: null,
    ...times,
  };
}

export function claimedAs(uuid: GatewayUuid) {
  const mqtt_password_hash = hashToken(passwordOf(uuid));
  return { uuid, mqtt_password_hash, claimed_at: SITE_MADE_MS, public_key: 'A'.repeat(43) };
}

export function lotRow(account_id: number, name: string): NewRow<'lots'> {
  const place = { address: 'Quay 1', timezone: 'Europe/Zagreb', latitude: 43.5, longitude: null };
  return { account_id, name, ...place, offline_exit: 'open', autonomy_days: 31, ...times };
}

export function zoneRow(account_id: number, lot_id: number, name: string): NewRow<'zones'> {
  return { account_id, lot_id, name, description: '', spot_count: 40, occupancy_max_hours: 72, ...times };
}

function tariffRow(account_id: number, name: string, currency: string): NewRow<'tariffs'> {
  const price = { free_minutes: 10, price_minor: 150, step_minutes: 60, daily_max_minor: null, windows: '[]' };
  return { account_id, name, currency, vat: '25', ...price, ...times };
}

function productRow(of: {
  account_id: number;
  lot_id: number;
  zone_id: number;
  device_id: string;
  type: number;
}): NewRow<'products'> {
  const { type, ...place } = of;
  return {
    ...place,
    name: `Product ${place.device_id}`,
    power_type: 'battery',
    product_type_id: type,
    hardware_version: '',
    firmware_version: '',
    latitude: null,
    longitude: null,
    status: 'offline',
    advertisement_data: '',
    battery_status: null,
    rssi: null,
    pairing_epoch: 1,
    master_key_sealed: secrets.seal('product_master_key', new Uint8Array(32).fill(type)),
    seen_at: null,
    ...times,
  };
}

export function cameraRow(of: {
  account_id: number;
  zone_id: number;
  gateway_id: number;
  product_id: number | null;
  device_id: string;
}): NewRow<'lpr_cameras'> {
  return {
    ...of,
    device_serial: null,
    name: `Camera ${of.device_id}`,
    driver: 'hikvision',
    address: 'http://127.0.0.1:9001',
    username: 'admin',
    password_sealed: secrets.seal('camera_password', ''),
    push_key_sealed: secrets.seal('camera_push_key', ''),
    timezone: 'Europe/Zagreb',
    lpr_position: 'in',
    plate_side: 'front',
    debounce_time: 15,
    direction_source: 'reported',
    min_confidence: 0,
    push_without_key: 0,
    status: 'offline',
    mac: null,
    last_seen: null,
    ...times,
  };
}

export const insertId = insertRow;

/** What stands in a lot: gateways, zones, products, cameras, terminals. Pure. */
import { PRODUCT_TYPE_IDS } from '../../shared/ids.js';
import { normalisePlate } from '../../shared/plate/normalise-plate.js';
import { isModbus } from './kinds/parking-gateways.js';
import { declareTerminals } from './kinds/terminals.js';
import type { SiteAccount, SiteLot, SitePath, SiteZone } from './site-schema.js';
import {
  declare,
  type DeclaredSecrets,
  type DeclaredThing,
  type SealedSecret,
  type ThingKey,
  thingNames,
} from './site-things.js';

export function declareInsideOfLot(
  account: SiteAccount,
  lot: SiteLot,
  path: SitePath,
  secrets: DeclaredSecrets,
): DeclaredThing[] {
  const zones = lot.zones.map((zone, index) => ({ account, lot, zone, path: [...path, 'zones', index] }));
  return [
    ...declareGateways(account, lot, path, secrets),
    ...zones.map(declareZone),
    ...zones.flatMap(declareProducts),
    ...zones.flatMap(declareCameras),
    ...declareParkingGateways(account, lot, path),
    ...zones.flatMap(declarePlaces),
    ...zones.flatMap(declareTerminals),
  ];
}

function declareGateways(
  account: SiteAccount,
  lot: SiteLot,
  path: SitePath,
  secrets: DeclaredSecrets,
): DeclaredThing[] {
  return lot.gateways.map(({ uuid, name, claim_code }, index) => {
    const made = claim_code === undefined ? ({ what: 'claim code', secret: secrets.makeClaimCode() } as const) : null;
    const claim = { claim_code_hash: secrets.hashToken(claim_code ?? made?.secret ?? ''), claim_expires_at: null };
    return declare({
      table: 'gateways',
      ...thingNames.gateways(account.name, lot.name, name),
      path: [...path, 'gateways', index],
      values: { name, ...(uuid === undefined ? {} : { uuid }), ...(made === null ? claim : {}) },
      initially: { status: 'offline', ...claim },
      references: {
        account_id: thingNames.accounts(account.name).key,
        lot_id: thingNames.lots(account.name, lot.name).key,
      },
      made,
    });
  });
}

interface ZonePlace {
  account: SiteAccount;
  lot: SiteLot;
  zone: SiteZone;
  path: SitePath;
}

const zoneKey = ({ account, lot, zone }: Omit<ZonePlace, 'path'>) =>
  thingNames.zones(account.name, lot.name, zone.name).key;

function declareZone({ account, lot, zone, path }: ZonePlace): DeclaredThing {
  return declare({
    table: 'zones',
    ...thingNames.zones(account.name, lot.name, zone.name),
    path,
    values: {
      name: zone.name,
      description: zone.description,
      spot_count: zone.spot_count,
      occupancy_max_hours: zone.occupancy_max_hours,
    },
    references: {
      account_id: thingNames.accounts(account.name).key,
      lot_id: thingNames.lots(account.name, lot.name).key,
    },
    links: [{ table: 'zone_tariffs', to: zone.tariffs.map((name) => thingNames.tariffs(account.name, name).key) }],
  });
}

function declareProducts(place: ZonePlace): DeclaredThing[] {
  const { account, lot, zone, path } = place;
  return zone.products.flatMap((product, index) => {
    const name = thingNames.products(product.device_id);
    const productPath = [...path, 'products', index];
    const productThing = declare({
      table: 'products',
      ...name,
      path: productPath,
      values: {
        device_id: product.device_id,
        name: product.name,
        power_type: product.power_type,
        product_type_id: PRODUCT_TYPE_IDS[product.type],
        // What a file pairs has the first epoch.
        ...(product.master_key === undefined ? {} : { pairing_epoch: 1 }),
      },
      initially: {
        hardware_version: '',
        firmware_version: '',
        status: 'offline',
        advertisement_data: '',
        pairing_epoch: 0,
      },
      // A key the file does not give is not taken from a product that was paired otherwise.
      sealed:
        product.master_key === undefined
          ? {}
          : { master_key_sealed: { purpose: 'product_master_key', secret: product.master_key, encoding: 'hex' } },
      references: {
        account_id: thingNames.accounts(account.name).key,
        lot_id: thingNames.lots(account.name, lot.name).key,
        zone_id: zoneKey(place),
      },
    });
    return [productThing, ...declareProductParts(product, name.key, productPath)];
  });
}

function declareProductParts(product: SiteZone['products'][number], key: ThingKey, path: SitePath): DeclaredThing[] {
  const settings = declare({
    table: 'product_blocks',
    ...thingNames.product_blocks(product.device_id),
    path,
    values: { is_autoclose: product.is_autoclose, autoclose_time: product.autoclose_time },
    initially: {
      // A barrier's state has no word for unknown.
      state: product.type === 'barrier' ? 'closed' : 'unknown',
      is_car_on_top: 0,
      permanent_position: 'disabled',
    },
    references: { product_id: key },
    partOf: key,
  });
  const licenses = product.bound_licenses.map((plate, index) =>
    declare({
      table: 'bound_licenses',
      ...thingNames.bound_licenses(product.device_id, normalisePlate(plate)),
      path: [...path, 'bound_licenses', index],
      values: { license_plate: plate, plate_normalised: normalisePlate(plate) },
      initially: { name: '' },
      references: { product_id: key },
    }),
  );
  return [settings, ...licenses];
}

function declareCameras(place: ZonePlace): DeclaredThing[] {
  const { account, lot, zone, path } = place;
  return zone.lpr_cameras.map((camera, index) => {
    return declare({
      table: 'lpr_cameras',
      ...thingNames.lpr_cameras(account.name, camera.device_id),
      path: [...path, 'lpr_cameras', index],
      values: {
        device_id: camera.device_id,
        name: camera.name,
        driver: camera.driver,
        address: camera.address,
        username: camera.username,
        timezone: camera.timezone,
        lpr_position: camera.lpr_position,
        plate_side: camera.plate_side,
        debounce_time: camera.debounce_time,
        direction_source: camera.direction_source,
      },
      initially: { status: 'offline' },
      sealed: {
        password_sealed: cameraSecret('camera_password', camera.password),
        push_key_sealed: cameraSecret('camera_push_key', camera.push_key),
      },
      references: {
        account_id: thingNames.accounts(account.name).key,
        zone_id: zoneKey(place),
        gateway_id: gatewayKey(account, lot, camera.gateway),
        product_id: camera.product === null ? null : thingNames.products(camera.product).key,
      },
    });
  });
}

/** A lot's only gateway need not be named. */
export function gatewayKey(account: SiteAccount, lot: SiteLot, named: string | null): ThingKey | null {
  const [only] = lot.gateways.length === 1 ? lot.gateways : [];
  const gateway = named ?? only?.name;
  return gateway === undefined ? null : thingNames.gateways(account.name, lot.name, gateway).key;
}

function declareParkingGateways(account: SiteAccount, lot: SiteLot, path: SitePath): DeclaredThing[] {
  return lot.parking_gateways.map((each, index) =>
    declare({
      table: 'parking_gateways',
      ...thingNames.parking_gateways(account.name, lot.name, each.name),
      path: [...path, 'parking_gateways', index],
      values: {
        name: each.name,
        driver: each.driver,
        address: each.address,
        unit: isModbus(each.driver) ? each.unit : null,
        poll_ms: each.poll_ms,
        heartbeat_s: each.heartbeat_s,
        register: each.register === null ? null : JSON.stringify(each.register),
        application: each.application,
      },
      initially: { status: 'offline', last_seen: null },
      references: {
        account_id: thingNames.accounts(account.name).key,
        lot_id: thingNames.lots(account.name, lot.name).key,
        gateway_id: gatewayKey(account, lot, each.gateway),
      },
    }),
  );
}

function declarePlaces(zonePlace: ZonePlace): DeclaredThing[] {
  const { account, lot, zone, path } = zonePlace;
  return zone.places.map((place, index) =>
    declare({
      table: 'parking_places',
      ...thingNames.parking_places(account.name, lot.name, place.name),
      path: [...path, 'places', index],
      values: {
        name: place.name,
        sensor: place.sensor,
        codec: place.codec,
        occupied_below_mm: place.occupied_below_mm,
        hysteresis_mm: place.hysteresis_mm,
      },
      initially: { occupancy_status: 'free', changed_at: null },
      references: {
        account_id: thingNames.accounts(account.name).key,
        lot_id: thingNames.lots(account.name, lot.name).key,
        zone_id: zoneKey(zonePlace),
        parking_gateway_id:
          place.parking_gateway === null
            ? null
            : thingNames.parking_gateways(account.name, lot.name, place.parking_gateway).key,
      },
    }),
  );
}

function cameraSecret(purpose: 'camera_password' | 'camera_push_key', secret = ''): SealedSecret {
  return { purpose, secret, encoding: 'utf8' };
}

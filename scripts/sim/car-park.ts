/** The devices of a site file that are simulated: products, cameras, sensors and displays. */
import type { Site } from '../../cloud/all-resources.js';
import type { CAMERA_DIRECTIONS, PLATE_SIDES } from '../../shared/events/event-schemas.js';
import type { ModbusRegister } from '../../shared/drivers/modbus-register.js';
import type { SensorDriverName } from '../../shared/drivers/sensor-driver-list.js';
import {
  type GatewayUuid,
  gatewayUuidSchema,
  type ProductDeviceId,
  productDeviceIdSchema,
  type ProductType,
} from '../../shared/ids.js';
import type { Logger } from '../../shared/logger.js';
import { hexToBytes } from '../../shared/product-protocol/bytes.js';

const AUTOCLOSE_BUILT_IN = { on: true, seconds: 10 };

export interface CarParkProduct {
  device_id: ProductDeviceId;
  name: string;
  type: ProductType;
  power_type: string;
  /** 32 bytes; null: not paired yet. */
  master_key: Uint8Array | null;
  /** Closing by itself; seconds 1..255. */
  autoclose: { on: boolean; seconds: number };
}

export interface CarParkCamera {
  device_id: string;
  name: string;
  driver: string;
  /** http://host:port where the camera answers; empty: it has no address. */
  address: string;
  username: string;
  password: string;
  push_key: string;
  /** IANA */
  timezone: string;
  lpr_position: (typeof CAMERA_DIRECTIONS)[number];
  plate_side: (typeof PLATE_SIDES)[number];
  /** The gateway the camera pushes to; null: the site file names none. */
  gateway_uuid: GatewayUuid | null;
}

type SiteLot = Site['accounts'][number]['lots'][number];
type SiteProduct = Site['accounts'][number]['lots'][number]['zones'][number]['products'][number];

export interface CarParkPlace {
  name: string;
  /** The sensor's number, counted from the register's base; its devEui; or its name at a service. */
  sensor: string;
  codec: string | null;
  occupied_below_mm: number | null;
  hysteresis_mm: number | null;
}

/** A parking-detection gateway with the places its sensors watch. */
export interface CarParkParkingGateway {
  lot: string;
  name: string;
  driver: SensorDriverName;
  /** host:port of its own listener, mqtt://host:port of its broker, or the path of its serial device. */
  address: string;
  unit: number;
  application: string | null;
  /** The gateway that hears it; null: the site file names none. */
  gateway_uuid: GatewayUuid | null;
  register: ModbusRegister | null;
  /** How its sensors' values are read; the form depends on the driver. */
  mapping: Record<string, unknown> | null;
  places: CarParkPlace[];
}

export interface CarParkDisplay {
  name: string;
  driver: string;
  /** Where it is reached; its meaning depends on the driver. */
  address: string;
  template: string;
  /** The gateway that writes to it; null: the site file names none. */
  gateway_uuid: GatewayUuid | null;
}

export interface CarPark {
  gateways: GatewayUuid[];
  products: CarParkProduct[];
  cameras: CarParkCamera[];
  parkingGateways: CarParkParkingGateway[];
  displays: CarParkDisplay[];
}

/**
 * The part of a site file that is simulated. A product without a master key waits to be paired.
 * @throws when two lots have a camera of the same name, which the simulator could not distinguish
 */
export function carParkOf(site: Site, logger: Logger): CarPark {
  const lots = site.accounts.flatMap(({ lots: ofAccount }) => ofAccount);
  const cameras = lots.flatMap((lot) => {
    const uuids = new Map(lot.gateways.map(({ name, uuid }) => [name, uuidOf(uuid)]));
    return lot.zones.flatMap(({ lpr_cameras }) =>
      lpr_cameras.map((camera) => ({
        ...camera,
        password: camera.password ?? '',
        push_key: camera.push_key ?? '',
        gateway_uuid: uuids.get(camera.gateway ?? '') ?? null,
      })),
    );
  });
  const seen = new Set<string>();
  for (const { device_id, push_key } of cameras) {
    if (seen.has(device_id)) throw new Error(`two cameras of the site file are called ${device_id}; rename one`);
    seen.add(device_id);
    if (push_key === '') logger.warn({ device_id }, 'camera without a push_key: agents will not know it');
  }
  const gateways = lots.flatMap((lot) => lot.gateways.flatMap(({ uuid }) => uuidOf(uuid) ?? []));
  const products = lots.flatMap((lot) => lot.zones.flatMap((zone) => zone.products));
  return {
    gateways,
    products: products.map((product) => simulated(product)),
    cameras,
    parkingGateways: lots.flatMap(parkingGatewaysOf),
    displays: displaysOf(site),
  };
}

function parkingGatewaysOf(lot: SiteLot): CarParkParkingGateway[] {
  return lot.parking_gateways.map((gateway) => {
    const { name, driver } = gateway;
    // A register's number may be written with zeros before it.
    const isNumber = driver.startsWith('modbus-');
    const places = lot.zones
      .flatMap((zone) => zone.places)
      .flatMap(({ name: place, parking_gateway, sensor, codec, occupied_below_mm, hysteresis_mm }) => {
        if (parking_gateway !== name || sensor === null) return [];
        const known = isNumber ? String(Number(sensor)) : sensor.toLowerCase();
        return [{ name: place, sensor: known, codec, occupied_below_mm, hysteresis_mm }];
      });
    const gateway_uuid = gatewayUuidIn(lot, gateway.gateway);
    return { ...gateway, unit: gateway.unit ?? 1, lot: lot.name, gateway_uuid, places };
  });
}

/** The gateway of this name, or the only one of the lot. */
function gatewayUuidIn(lot: SiteLot, name: string | null | undefined): GatewayUuid | null {
  const named = lot.gateways.find(
    (gateway) => name === gateway.name || (name === undefined && lot.gateways.length === 1),
  );
  return uuidOf(named?.uuid) ?? null;
}

function displaysOf(site: Site): CarParkDisplay[] {
  return site.accounts.flatMap(({ lots, rgb_displays }) =>
    rgb_displays.flatMap(({ name, driver, address, template, gateway, zone }) => {
      const lot = lots.find((each) => each.zones.some((of) => of.name === zone)) ?? lots[0];
      if (driver === '' || lot === undefined) return [];
      return [{ name, driver, address, template, gateway_uuid: gatewayUuidIn(lot, gateway) }];
    }),
  );
}

const uuidOf = (uuid: string | undefined): GatewayUuid | undefined =>
  uuid === undefined ? undefined : gatewayUuidSchema.parse(uuid);

function simulated(product: SiteProduct): CarParkProduct {
  const { device_id, name, type, power_type, master_key, is_autoclose, autoclose_time } = product;
  return {
    device_id: productDeviceIdSchema.parse(device_id),
    name,
    type,
    power_type,
    master_key: master_key === undefined ? null : hexToBytes(master_key),
    // Only barriers have the setting; other kinds have one built in.
    autoclose: type === 'barrier' ? { on: is_autoclose === 1, seconds: autoclose_time } : AUTOCLOSE_BUILT_IN,
  };
}

/** The lot in which the history happens, by the ids that the database gave. */
import type { CloudStore } from '../../../cloud/kernel/store/cloud-store.js';
import { type GatewayUuid, gatewayUuidSchema, type ProductDeviceId } from '../../../shared/ids.js';
import type { PlateReadRecord } from '../../../shared/uplink.js';
import type { TrafficLot } from '../../sim/traffic/traffic-lots.js';

export interface HistoryCamera {
  id: number;
  gateway: GatewayUuid;
  zone_id: number;
  product_id: number | null;
  lpr_position: PlateReadRecord['reading']['lpr_camera_direction'];
  plate_side: PlateReadRecord['reading']['plate_side'];
  debounce_ms: number;
}

export interface HistoryProduct {
  id: number;
  device_id: ProductDeviceId;
  isBattery: boolean;
}

export interface HistorySite {
  account_id: number;
  lot_id: number;
  entry: HistoryCamera;
  exit: HistoryCamera;
  /** Ids of the places that have a sensor. */
  places: number[];
  /** The gateway that hears them; null: there are none. */
  placesGateway: GatewayUuid | null;
  products: HistoryProduct[];
  gateways: GatewayUuid[];
  /** Normalised plates. */
  members: ReadonlySet<string>;
  hasTariff: boolean;
  /** 0: unlimited. */
  spotCount: number;
  offlineExit: 'open' | 'deny';
}

/** @throws Error when the database has no such lot: the site file was applied before */
export async function readHistorySite({ reader }: Pick<CloudStore, 'reader'>, lot: TrafficLot): Promise<HistorySite> {
  const {
    id: lot_id,
    account_id,
    offline_exit,
  } = await reader
    .selectFrom('lots')
    .select(['id', 'account_id', 'offline_exit'])
    .where('name', '=', lot.name)
    .executeTakeFirstOrThrow();
  const gateways = await reader
    .selectFrom('gateways')
    .select(['id', 'uuid'])
    .where('lot_id', '=', lot_id)
    .orderBy('id')
    .execute();
  const uuidOf = (id: number | null) => gatewayUuidSchema.parse(gateways.find((each) => each.id === id)?.uuid);
  const camera = async (device_id: string): Promise<HistoryCamera> => {
    const { gateway_id, debounce_time, ...row } = await reader
      .selectFrom('lpr_cameras')
      .select(['id', 'zone_id', 'product_id', 'gateway_id', 'lpr_position', 'plate_side', 'debounce_time'])
      .where('device_id', '=', device_id)
      .where('account_id', '=', account_id)
      .executeTakeFirstOrThrow();
    return { ...row, gateway: uuidOf(gateway_id), debounce_ms: debounce_time * 1_000 } as HistoryCamera;
  };
  const entry = await camera(lot.entry.device_id);
  const zone = await reader
    .selectFrom('zones')
    .select('spot_count')
    .where('id', '=', entry.zone_id)
    .executeTakeFirstOrThrow();
  const tariffs = await reader
    .selectFrom('zone_tariffs')
    .select('zone_id')
    .where('zone_id', '=', entry.zone_id)
    .execute();
  const places = await placesWithSensor(reader, lot_id);
  const products = await reader
    .selectFrom('products')
    .select(['id', 'device_id', 'power_type'])
    .where('lot_id', '=', lot_id)
    .orderBy('id')
    .execute();
  const [firstPlace] = places;
  return {
    account_id,
    lot_id,
    entry,
    exit: await camera(lot.exit.device_id),
    places: places.map(({ id }) => id),
    placesGateway: firstPlace === undefined ? null : uuidOf(firstPlace.gateway_id),
    products: products.map(({ id, device_id, power_type }) => ({
      id,
      device_id: device_id as ProductDeviceId,
      isBattery: power_type !== 'mains',
    })),
    gateways: gateways.map(({ id }) => uuidOf(id)),
    members: new Set(lot.members),
    hasTariff: tariffs.length > 0,
    spotCount: zone.spot_count,
    offlineExit: offline_exit as 'open' | 'deny',
  };
}

const placesWithSensor = (reader: CloudStore['reader'], lot_id: number) =>
  reader
    .selectFrom('parking_places')
    .innerJoin('parking_gateways', 'parking_gateways.id', 'parking_places.parking_gateway_id')
    .select(['parking_places.id', 'parking_gateways.gateway_id'])
    .where('parking_places.lot_id', '=', lot_id)
    .where('parking_places.sensor', 'is not', null)
    .orderBy('parking_places.id')
    .execute();

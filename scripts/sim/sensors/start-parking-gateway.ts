/** Starts the simulation of a parking gateway of the site file, by its driver. */
import type { Clock } from '../../../shared/clock.js';
import type { SensorDriverName } from '../../../shared/drivers/sensor-driver-list.js';
import type { Logger } from '../../../shared/logger.js';
import type { CarParkParkingGateway } from '../car-park.js';
import type { ProductAir } from '../radio/product-air.js';
import { startBeaconGateway } from './beacon-gateway.js';
import { startLoraGateway } from './lora-gateway.js';
import type { SimBrokers } from './sim-brokers.js';
import { startModbusGateway } from './modbus-gateway.js';
import { startPushingGateway } from './pushing-gateway.js';
import { startRtuGateway } from './rtu-gateway.js';
import type { RtuLines } from './rtu-lines.js';
import type { SimPlace } from './sim-place.js';

interface ParkingGatewayOptions {
  /** By their sensors. */
  places: ReadonlyMap<string, SimPlace>;
  brokers: SimBrokers;
  lines: RtuLines;
  air: ProductAir;
  agentUrl: () => string | null;
  clock: Clock;
  logger: Logger;
}

/** Closes it; undefined: it ends together with the line or broker that it shares. */
type Started = { close(): Promise<void> } | undefined;
type Start = (gateway: CarParkParkingGateway, options: ParkingGatewayOptions) => Promise<Started>;

const STARTS: Readonly<Record<SensorDriverName, Start>> = {
  'modbus-tcp': startModbusGateway,
  'modbus-rtu': startRtuGateway,
  'modbus-rtu-tcp': startRtuGateway,
  chirpstack: startLoraGateway,
  ttn: startLoraGateway,
  http: (gateway, options) => Promise.resolve(startPushingGateway(gateway, options)),
  'ble-beacon': startBeaconGateway,
};

/** @throws when its address is invalid or in use */
export const startParkingGateway: Start = (gateway, options) => STARTS[gateway.driver](gateway, options);

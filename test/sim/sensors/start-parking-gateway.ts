/** Starts what stands for a parking gateway of the site file, by its driver. */
import type { Clock } from '../../../shared/clock.js';
import type { Logger } from '../../../shared/logger.js';
import type { CarParkParkingGateway } from '../car-park.js';
import { type LoraBrokers, startLoraGateway } from './lora-gateway.js';
import { startModbusGateway } from './modbus-gateway.js';
import { startPushingGateway } from './pushing-gateway.js';
import type { SimPlace } from './sim-place.js';

/** @throws when its address is invalid or in use */
export function startParkingGateway(
  gateway: CarParkParkingGateway,
  options: {
    /** By their sensors. */
    places: ReadonlyMap<string, SimPlace>;
    brokers: LoraBrokers;
    agentUrl: () => string | null;
    clock: Clock;
    logger: Logger;
  },
): Promise<{ close(): Promise<void> }> {
  if (gateway.driver === 'modbus-tcp') return startModbusGateway(gateway, options);
  if (gateway.driver === 'http') return Promise.resolve(startPushingGateway(gateway, options));
  return startLoraGateway(gateway, options);
}

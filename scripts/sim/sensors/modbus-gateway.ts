/** A parking gateway whose sensors are registers: Modbus clients read whether its places are occupied. */
import type { Clock } from '../../../shared/clock.js';
import type { CarParkParkingGateway } from '../car-park.js';
import { type ModbusServer, serveModbus } from './modbus-server.js';
import { placeRegisters } from './place-registers.js';
import type { SimPlace } from './sim-place.js';

/** @throws when its address is invalid or in use */
export function startModbusGateway(
  gateway: CarParkParkingGateway,
  { places, clock }: { places: ReadonlyMap<string, SimPlace>; clock: Clock },
): Promise<ModbusServer> {
  const { name, address, unit, register } = gateway;
  const [, host, port] = /^\[?([^\]]+?)\]?:(\d{1,5})$/.exec(address) ?? [];
  if (host === undefined || register === null) {
    throw new Error(`parking gateway ${name}: cannot listen on "${address}"; give it as host:port, with a register`);
  }
  return serveModbus({ host, port: Number(port), unit, clock, read: placeRegisters(register, places) });
}

/** The sensor drivers of this gateway. Each has a folder of this room and one line here. */
import { createBleBeaconDriver } from './ble-beacon/ble-beacon-driver.js';
import { createHttpDriver } from './http/http-driver.js';
import { createChirpstackDriver, createTtnDriver } from './lora/lora-driver.js';
import { createModbusRtuDriver, createModbusRtuTcpDriver, createModbusTcpDriver } from './modbus/modbus-driver.js';
import type { SensorDriver, SensorDriverDeps, SensorDrivers } from './sensor-source.js';

const FACTORIES: ((deps: SensorDriverDeps) => SensorDriver)[] = [
  createModbusTcpDriver,
  createModbusRtuDriver,
  createModbusRtuTcpDriver,
  createChirpstackDriver,
  createTtnDriver,
  createHttpDriver,
  createBleBeaconDriver,
];

export function createSensorDrivers(deps: SensorDriverDeps): SensorDrivers {
  return new Map(FACTORIES.map((create) => create(deps)).map((driver) => [driver.name, driver]));
}

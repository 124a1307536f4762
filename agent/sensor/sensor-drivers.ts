/** The sensor drivers of this gateway. Each has a folder of this room and one line here. */
import { createModbusTcpDriver } from './modbus-tcp/modbus-tcp-driver.js';
import type { SensorDriver, SensorDriverDeps, SensorDrivers } from './sensor-source.js';

const FACTORIES: ((deps: SensorDriverDeps) => SensorDriver)[] = [createModbusTcpDriver];

export function createSensorDrivers(deps: SensorDriverDeps): SensorDrivers {
  return new Map(FACTORIES.map((create) => create(deps)).map((driver) => [driver.name, driver]));
}

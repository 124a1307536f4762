/** The display drivers of this gateway. Each has a folder of this room and one line here. */
import type { DisplayDriver, DisplayDrivers } from './display.js';
import { createHttpDisplayDriver } from './http/http-driver.js';
import { createModbusDisplayDriver } from './modbus/modbus-driver.js';
import type { ScreenPolls } from './screen-polls.js';
import { createZhenshiDisplayDriver } from './zhenshi/zhenshi-driver.js';

export function createDisplayDrivers(deps: { polls: Pick<ScreenPolls, 'offer'> }): DisplayDrivers {
  const drivers: DisplayDriver[] = [
    createHttpDisplayDriver(),
    createModbusDisplayDriver(),
    createZhenshiDisplayDriver(deps),
  ];
  return new Map(drivers.map((driver) => [driver.name, driver]));
}

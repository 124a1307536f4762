/** The registers of a parking gateway's places, as a Modbus client reads them. */
import type { ModbusRegister } from '../../../shared/drivers/modbus-register.js';
import { measuredNumber } from './measured-number.js';
import { EXCEPTION, type ReadValue } from './modbus-answer.js';
import type { SimPlace } from './sim-place.js';

/** @param places by their sensors, which count from the register's base */
export function placeRegisters(register: ModbusRegister, places: ReadonlyMap<string, SimPlace>): ReadValue {
  return (code, at) => {
    const place = places.get(String(at - register.base));
    if (code !== register.function || place === undefined) return { exception: EXCEPTION.illegalAddress };
    const { occupied, silent } = place.view();
    return silent ? { exception: EXCEPTION.deviceFailure } : measuredNumber(register, occupied);
  };
}

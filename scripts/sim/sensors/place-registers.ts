/** The registers of a parking gateway's places, as a Modbus client reads them. */
import { BYTE_ORDER_DEFAULT, type ByteOrder } from '../../../shared/drivers/byte-order.js';
import type { ModbusRegister } from '../../../shared/drivers/modbus-register.js';
import { measuredNumber } from './measured-number.js';
import { EXCEPTION, type ReadValue } from './modbus-answer.js';
import type { SimPlace } from './sim-place.js';

/** @param places by their sensors, which count from the register's base */
export function placeRegisters(register: ModbusRegister, places: ReadonlyMap<string, SimPlace>): ReadValue {
  const { base, byte_order = BYTE_ORDER_DEFAULT } = register;
  const length = byte_order.length / 2;
  return (code, at) => {
    // The registers of a value follow the one that its sensor names.
    const part = Array.from({ length }, (_, index) => index).find((index) => places.has(String(at - base - index)));
    const place = part === undefined ? undefined : places.get(String(at - base - part));
    if (code !== register.function || place === undefined || part === undefined) {
      return { exception: EXCEPTION.illegalAddress };
    }
    const { occupied, silent } = place.view();
    if (silent) return { exception: EXCEPTION.deviceFailure };
    const value = measuredNumber(register, occupied);
    return code <= 2 ? value : partOf(value, byte_order, part);
  };
}

/** One of the registers in which a value stands. */
function partOf(value: number, order: ByteOrder, part: number): number {
  const bytes = [...order].map((letter) => {
    const below = order.length - 1 - 'ABCD'.indexOf(letter);
    return Math.floor(value / 256 ** below) % 256;
  });
  return (bytes[part * 2] ?? 0) * 256 + (bytes[part * 2 + 1] ?? 0);
}

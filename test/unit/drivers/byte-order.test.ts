import { describe, expect, it } from 'vitest';
import { BYTE_ORDERS, registersPerValue, valueOfRegisters } from '../../../shared/drivers/byte-order.js';
import { modbusRegisterSchema } from '../../../shared/drivers/modbus-register.js';
import * as fc from '../../property.js';
import { placeRegisters } from '../../../scripts/sim/sensors/place-registers.js';
import { createPlace } from '../../../scripts/sim/sensors/sim-place.js';

describe('a value', () => {
  it.each([
    ['AB', [0x1234], 0x1234],
    ['BA', [0x1234], 0x3412],
    ['ABCD', [0x1234, 0x5678], 0x12345678],
    ['CDAB', [0x5678, 0x1234], 0x12345678],
    ['BADC', [0x3412, 0x7856], 0x12345678],
    ['DCBA', [0x7856, 0x3412], 0x12345678],
    ['ABCD', [0xffff, 0xffff], 4_294_967_295],
  ] as const)('in the order %s is read from its registers', (order, registers, value) => {
    expect(valueOfRegisters(registers, order)).toBe(value);
    expect(registersPerValue(order)).toBe(registers.length);
  });

  it('has each of its bytes in one place, whatever the order', () => {
    const word = fc.nat(0xffff);
    fc.assert(
      fc.property(fc.constantFrom(...BYTE_ORDERS), word, word, (order, first, second) => {
        const registers = [first, second].slice(0, registersPerValue(order));
        const bytes = registers.flatMap((register) => [register >> 8, register & 0xff]);
        const value = valueOfRegisters(registers, order);
        const hex = value.toString(16).padStart(order.length * 2, '0');
        expect([...Buffer.from(hex, 'hex')].toSorted()).toEqual(bytes.toSorted());
      }),
    );
  });

  it('is read as a simulated place means it, in every order', () => {
    for (const byte_order of BYTE_ORDERS) {
      const register = modbusRegisterSchema.parse({ function: 3, base: 10, byte_order, occupied: { below: 40_000 } });
      const own = { codec: null, occupied_below_mm: null, hysteresis_mm: null };
      const place = createPlace({ name: 'A1', sensor: '4', ...own }, { lot: 'North', name: 'Line' });
      const read = placeRegisters(register, new Map([['4', place]]));
      const valueNow = () => {
        const registers = Array.from({ length: registersPerValue(byte_order) }, (_, index) => read(3, 14 + index));
        return valueOfRegisters(registers.map(Number), byte_order);
      };
      expect(valueNow()).toBe(40_500);
      place.change({ occupied: true });
      expect(valueNow()).toBe(20_000);
    }
  });
});

it('a bit has no byte order', () => {
  const bits = { function: 1, byte_order: 'BA', occupied: { mask: 1 } };
  expect(modbusRegisterSchema.safeParse(bits).error?.issues).toEqual([
    expect.objectContaining({ path: ['byte_order'], message: expect.stringMatching(/^must be left out/) as string }),
  ]);
});

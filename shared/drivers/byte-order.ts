/**
 * The order of a value's bytes in Modbus registers, in the notation of manuals: A is the most significant byte, and the letters are in the
 * order of transmission. Two letters mean a value of one register, four letters a value of two.
 */

export const BYTE_ORDERS = ['AB', 'BA', 'ABCD', 'CDAB', 'BADC', 'DCBA'] as const;
export type ByteOrder = (typeof BYTE_ORDERS)[number];
/** The byte order of the Modbus protocol itself. */
export const BYTE_ORDER_DEFAULT: ByteOrder = 'AB';

/** Returns how many registers a value has. */
export const registersPerValue = (order: ByteOrder): number => order.length / 2;

/** @param registers of one value, each with its more significant byte first */
export function valueOfRegisters(registers: readonly number[], order: ByteOrder): number {
  const bytes = registers.flatMap((register) => [register >> 8, register & 0xff]);
  return [...order].toSorted().reduce((value, letter) => value * 256 + (bytes[order.indexOf(letter)] ?? 0), 0);
}

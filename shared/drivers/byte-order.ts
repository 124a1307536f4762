/**
 * In which order the bytes of a value stand in Modbus registers, as manuals write it: A is the highest, and what is sent first stands first.
 * With two letters a value is one register, with four it is two.
 */

export const BYTE_ORDERS = ['AB', 'BA', 'ABCD', 'CDAB', 'BADC', 'DCBA'] as const;
export type ByteOrder = (typeof BYTE_ORDERS)[number];
/** That of the protocol itself. */
export const BYTE_ORDER_DEFAULT: ByteOrder = 'AB';

/** How many registers a value has. */
export const registersPerValue = (order: ByteOrder): number => order.length / 2;

/** @param registers of one value, each as the protocol sends it: its higher byte first */
export function valueOfRegisters(registers: readonly number[], order: ByteOrder): number {
  const bytes = registers.flatMap((register) => [register >> 8, register & 0xff]);
  return [...order].toSorted().reduce((value, letter) => value * 256 + (bytes[order.indexOf(letter)] ?? 0), 0);
}

/** Describes which registers of a Modbus server hold the state of places, and how a register's value becomes occupied or free. */
import { z } from 'zod';

export const REGISTER_MAX = 65_535;
const SENTINELS_MAX = 10_000;

const registerNumber = (min: number) => z.number().int().min(min).max(REGISTER_MAX);

/** A value is judged in one of two ways; the keys say in which. */
const occupiedSchema = z.union(
  [
    /** Occupied when one of these bits is set. */
    z.strictObject({ mask: registerNumber(1) }),
    /** Occupied below it, free again above `below + hysteresis`. */
    z.strictObject({ below: registerNumber(0), hysteresis: registerNumber(0).default(0) }),
  ],
  {
    error: ({ input }) =>
      input === undefined
        ? 'is required'
        : 'must be {mask: 1} or {below: 1500, hysteresis: 100}, with numbers up to 65535',
  },
);

const shape = {
  /** Modbus function code. */
  function: z.union(
    [z.literal(1), z.literal(2), z.literal(3), z.literal(4)],
    'must be 1 (coils), 2 (discrete inputs), 3 (holding registers) or 4 (input registers)',
  ),
  /** The register of sensor "0". */
  base: registerNumber(0).default(0),
  occupied: occupiedSchema,
  /** Values that are no measurement. */
  sentinels: z.array(registerNumber(0)).max(SENTINELS_MAX).default([]),
};

/** The register as people write it: an unknown key is an error, and the message names the allowed keys. */
export const modbusRegisterSchema = z.strictObject(shape, {
  error: ({ code }) =>
    code === 'unrecognized_keys' ? `unknown key; allowed: ${Object.keys(shape).join(', ')}` : undefined,
});

/** The register as one program sends it to another: keys that a newer program adds are ignored. */
export const modbusRegisterWireSchema = z.object({ ...shape, base: shape.base.unwrap() });
export type ModbusRegister = z.output<typeof modbusRegisterSchema>;

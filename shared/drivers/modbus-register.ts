/** Describes which registers of a Modbus server hold the state of places, and how a register's value becomes occupied or free. */
import { z } from 'zod';
import { BYTE_ORDERS } from './byte-order.js';
import { MEASURED_MAX, measuredNumber, occupancyRuleShape } from './occupancy-rule.js';
import { settlingShape } from './settling.js';
import { strictObject } from './strict-object.js';

export const REGISTER_MAX = MEASURED_MAX;

const shape = {
  /** Modbus function code. */
  function: z.union(
    [z.literal(1), z.literal(2), z.literal(3), z.literal(4)],
    'must be 1 (coils), 2 (discrete inputs), 3 (holding registers) or 4 (input registers)',
  ),
  /** The register of sensor "0". */
  base: measuredNumber(0).default(0),
  /** The factor by which a register's value is multiplied before it is compared with a threshold; left out: 1. */
  scale: z.number().positive().max(1_000).optional(),
  /** The order of a value's bytes in its register or its two registers. */
  byte_order: z.enum(BYTE_ORDERS).optional(),
  /** How long the unit may take to answer, if it takes longer than most. */
  timeout_ms: z.number().int().min(50).max(10_000).optional(),
  /** How many registers or bits a request may read, if the unit allows fewer than the protocol. */
  max_registers: z.number().int().min(1).max(2_000).optional(),
  ...occupancyRuleShape,
  ...settlingShape,
};

/** The register as people write it. Unknown keys are refused. */
export const modbusRegisterSchema = strictObject(shape).refine(
  (register) => register.function > 2 || register.byte_order === undefined,
  { path: ['byte_order'], error: 'must be left out with function 1 and 2: a bit has no bytes' },
);

/** The register as one program sends it to another. Unknown keys of a newer program are ignored. */
export const modbusRegisterWireSchema = z.object({ ...shape, base: shape.base.unwrap() });
export type ModbusRegister = z.output<typeof modbusRegisterSchema>;

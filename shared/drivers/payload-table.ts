/** A codec as data: where in the bytes of a payload a number stands, and when it means occupied. */
import { z } from 'zod';
import { occupancyRuleShape } from './occupancy-rule.js';
import { settlingShape } from './settling.js';
import { strictObject } from './strict-object.js';

/** LoRaWAN carries at most 242 bytes in an uplink, an advertisement less. */
const BYTE_MAX = 241;

export const payloadTableShape = {
  /** The LoRaWAN port of uplinks that hold it; others are signs of life. null: every port. */
  port: z.number().int().min(1).max(255).nullable().default(null),
  /** The number's first byte, counted from 0. */
  byte: z.number().int().min(0).max(BYTE_MAX),
  /** How many bytes it has. */
  length: z.union([z.literal(1), z.literal(2)], 'must be 1 or 2').default(1),
  /** Which of two bytes comes first. */
  order: z.enum(['big', 'little']).default('big'),
  /** What the number is multiplied by before it is compared with a threshold. */
  scale: z.number().positive().max(1_000).default(1),
  ...occupancyRuleShape,
  ...settlingShape,
};

export const payloadTableSchema = strictObject(payloadTableShape);
export type PayloadTable = z.output<typeof payloadTableSchema>;

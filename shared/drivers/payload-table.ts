/** A codec as data: the position of a number in a payload, and when it means occupied. */
import { z } from 'zod';
import { occupancyRuleShape } from './occupancy-rule.js';
import { settlingShape } from './settling.js';
import { strictObject } from './strict-object.js';

/** The highest position: LoRaWAN carries at most 242 bytes in an uplink, and an advertisement has fewer. */
const BYTE_MAX = 241;

export const payloadTableShape = {
  /** The LoRaWAN port of uplinks that contain the number; others only show that the sensor is alive. null: every port. */
  port: z.number().int().min(1).max(255).nullable().default(null),
  /** The position of the number's first byte, counted from 0. */
  byte: z.number().int().min(0).max(BYTE_MAX),
  /** The number of its bytes. */
  length: z.union([z.literal(1), z.literal(2)], 'must be 1 or 2').default(1),
  /** Which of two bytes comes first. */
  order: z.enum(['big', 'little']).default('big'),
  /** The factor by which the number is multiplied before it is compared with a threshold. */
  scale: z.number().positive().max(1_000).default(1),
  ...occupancyRuleShape,
  ...settlingShape,
};

export const payloadTableSchema = strictObject(payloadTableShape);
export type PayloadTable = z.output<typeof payloadTableSchema>;

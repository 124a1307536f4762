/** A command is something that a product does by its credentials, or its pairing. */
import { z } from 'zod';
import { productCommandSchema } from '../../../shared/uplink-orders.js';

export const PAIR = 'pair';

export const orderedCommandSchema = z.union([productCommandSchema, z.object({ name: z.literal(PAIR) })]);
export type OrderedCommand = z.infer<typeof orderedCommandSchema>;

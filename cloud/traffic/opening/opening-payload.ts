/** Openings as REST shows them. */
import { z } from '@hono/zod-openapi';
import { OPENING_CAUSES, OPENING_OUTCOMES } from '../../../shared/opening-words.js';
import { PRODUCT_OPERATIONS } from '../../../shared/uplink-orders.js';
import { gatewayErrorOf, gatewayErrorSchema } from '../../equipment/command/command-payload.js';
import type { Row } from '../../kernel/store/entry.js';
import { datetime, id } from '../../rest/field/answer-schemas.js';
import { isoTime } from '../../rest/field/iso-time-codec.js';

/** An opening with the plate of its reading. */
export type ShownOpening = Row<'openings'> & { plate: string | null };

export const openingSchema = z
  .strictObject({
    id,
    at: datetime.describe('When it ended.'),
    lot_id: id.nullable(),
    product_id: id,
    operation: z.enum(PRODUCT_OPERATIONS).describe('What the product was asked to do.'),
    cause: z
      .enum(OPENING_CAUSES)
      .describe(
        'Who or what asked: a camera that admitted a vehicle, a guest by the link of a key, anybody by another weblink, a person, a program by its token, a release of the lot or its end, somebody at the gateway itself. By a schedule nothing moves yet.',
      ),
    by: z
      .string()
      .nullable()
      .describe('The name of that person, token, link or gateway; null for a camera, and where there is no name.'),
    outcome: z
      .enum(OPENING_OUTCOMES)
      .describe('How it ended; `unknown` when nobody heard, and for a release that was ordered at a gateway.'),
    gateway_error: gatewayErrorSchema,
    event_id: z.string().nullable().describe('The id of the command, or of the opening of the gateway; null for none.'),
    gateway_id: id.nullable().describe('The gateway that had the last word; null when none was asked.'),
    plate: z.string().nullable().describe('The plate of the reading for which it was; null without one.'),
    plate_reading_id: id.nullable().describe('The reading for which it was; null for none.'),
    plate_sighting_id: id.nullable().describe('The vehicle without a readable plate for which it was; null for none.'),
    updated_at: datetime,
  })
  .openapi('Opening');

export type Opening = z.infer<typeof openingSchema>;

export function representOpening(row: ShownOpening): Opening {
  const { id: opening_id, at, lot_id, product_id, operation, cause, given_by, outcome, error_type, ...rest } = row;
  const { event_id, gateway_id, plate, plate_reading_id, plate_sighting_id, updated_at } = rest;
  return {
    id: opening_id,
    at: isoTime(at),
    lot_id,
    product_id,
    operation,
    cause,
    by: given_by,
    outcome,
    gateway_error: gatewayErrorOf(error_type),
    event_id,
    gateway_id,
    plate,
    plate_reading_id,
    plate_sighting_id,
    updated_at: isoTime(updated_at),
  };
}

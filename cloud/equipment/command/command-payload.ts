/** Commands as REST shows them. */
import { z } from '@hono/zod-openapi';
import { GATEWAY_ERROR_MESSAGES, isGatewayErrorType } from '../../../shared/errors.js';
import { datetime, id, iso, isoOrNull } from '../../rest/field/answer-schemas.js';
import type { CommandDetails } from './command-queries.js';

export const gatewayErrorSchema = z
  .strictObject({ type: z.union([z.number().int(), z.literal('Timeout')]), message: z.string().nullable() })
  .nullable();

/** `operation` is an operation of the state call, or `settings`. */
export const commandSchema = z
  .strictObject({
    event_id: z.string(),
    product_id: id,
    operation: z.string(),
    status: z.enum(['pending', 'succeeded', 'failed']),
    gateway_error: gatewayErrorSchema,
    attempts: z
      .array(
        z.strictObject({
          gateway_uuid: z.string().nullable(),
          rssi: z
            .number()
            .int()
            .nullable()
            .describe('How strongly the gateway heard the product when it began, in dBm; null when it is not known.'),
          started_at: datetime.describe('When it began.'),
          ended_at: datetime.nullable().describe('When the try ended; null while it goes on.'),
          outcome: z.string().nullable().describe('How the try ended; null while it goes on.'),
        }),
      )
      .describe('The tries of gateways to carry it out, in their order.'),
    created_at: datetime,
    ended_at: datetime.nullable().describe('When the command ended; null while it is pending.'),
  })
  .openapi('Command');

export type Command = z.infer<typeof commandSchema>;

export function representCommand({ command, attempts }: CommandDetails): Command {
  return {
    event_id: command.event_id,
    product_id: command.product_id,
    operation: command.operation,
    status: command.status,
    gateway_error: gatewayErrorOf(command.gateway_error_type),
    attempts: attempts.map(({ gateway_uuid, rssi, started_at, ended_at, outcome }) => ({
      gateway_uuid,
      rssi,
      started_at: iso(started_at),
      ended_at: isoOrNull(ended_at),
      outcome,
    })),
    created_at: iso(command.created_at),
    ended_at: isoOrNull(command.ended_at),
  };
}

/** @param stored a number as text, or `Timeout`; null for none */
export function gatewayErrorOf(stored: string | null): Command['gateway_error'] {
  if (stored === null) return null;
  if (stored === 'Timeout') return { type: 'Timeout', message: null };
  const type = Number(stored);
  return { type, message: isGatewayErrorType(type) ? GATEWAY_ERROR_MESSAGES[type] : null };
}

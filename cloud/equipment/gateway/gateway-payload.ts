/** Gateways as REST shows them. */
import { z } from '@hono/zod-openapi';
import { PRESENCE_STATES } from '../../../shared/events/event-schemas.js';
import { datetime, id, isoOrNull, times, timesOf } from '../../rest/request/answer-schemas.js';
import type { Row } from '../../kernel/store/entry.js';

export const gatewaySchema = z
  .strictObject({
    id,
    uuid: z.string().nullable(),
    name: z.string(),
    account_id: id,
    lot_id: id.nullable().describe('The lot whose products the gateway operates; null for none yet.'),
    status: z.enum(PRESENCE_STATES),
    agent_version: z.string().nullable(),
    last_seen: datetime.nullable(),
    claimed_at: datetime.nullable().describe('When a device became this gateway; null before.'),
    ...times,
  })
  .openapi('Gateway');

export type Gateway = z.infer<typeof gatewaySchema>;

/** The only answer that shows the code; null when the answer is repeated. */
export const gatewayWithCodeSchema = z
  .strictObject({
    ...gatewaySchema.shape,
    claim_code: z
      .string()
      .nullable()
      .describe(
        'The code by which a device becomes this gateway: it works once, for 15 minutes; null when the answer is repeated.',
      ),
    claim_qr: z
      .string()
      .nullable()
      .describe('The text for a QR code that holds the claim code; shown only when the code is made.'),
  })
  .openapi('GatewayWithClaimCode');

export function representGateway(row: Row<'gateways'>): Gateway {
  const { uuid, name, account_id, lot_id, status, agent_version } = row;
  const seen = { last_seen: isoOrNull(row.last_seen), claimed_at: isoOrNull(row.claimed_at) };
  return { id: row.id, uuid, name, account_id, lot_id, status, agent_version, ...seen, ...timesOf(row) };
}

export const consolePasswordSchema = z
  .strictObject({
    password: z
      .string()
      .nullable()
      .describe('The password of the device; null: it has none yet, or the answer is repeated.'),
    set_at: datetime.nullable().describe('When the password was made.'),
  })
  .openapi('ConsolePassword');

/** @param password null: there is none */
export const representConsolePassword = (password: string | null, set_at: number | null) => ({
  password,
  set_at: isoOrNull(set_at),
});

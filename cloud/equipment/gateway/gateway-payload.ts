/** Gateways as REST shows them. */
import { z } from '@hono/zod-openapi';
import { PRESENCE_STATES } from '../../../shared/events/event-schemas.js';
import { datetime, id, isoOrNull, times, timesOf } from '../../rest/http/answer-schemas.js';
import type { Row } from '../../kernel/entry.js';

export const gatewaySchema = z
  .strictObject({
    id,
    uuid: z.string().nullable(),
    name: z.string(),
    account_id: id,
    lot_id: id.nullable(),
    status: z.enum(PRESENCE_STATES),
    agent_version: z.string().nullable(),
    last_seen: datetime.nullable(),
    claimed_at: datetime.nullable(),
    ...times,
  })
  .openapi('Gateway');

export type Gateway = z.infer<typeof gatewaySchema>;

/** The only answer that shows the code; null when the answer is repeated. */
export const gatewayWithCodeSchema = z
  .strictObject({ ...gatewaySchema.shape, claim_code: z.string().nullable(), claim_qr: z.string().nullable() })
  .openapi('GatewayWithClaimCode');

export function representGateway(row: Row<'gateways'>): Gateway {
  const { uuid, name, account_id, lot_id, status, agent_version } = row;
  const seen = { last_seen: isoOrNull(row.last_seen), claimed_at: isoOrNull(row.claimed_at) };
  return { id: row.id, uuid, name, account_id, lot_id, status, agent_version, ...seen, ...timesOf(row) };
}

export const consolePasswordSchema = z
  .strictObject({ password: z.string().nullable(), set_at: datetime.nullable() })
  .openapi('ConsolePassword');

/** @param password null: there is none */
export const representConsolePassword = (password: string | null, set_at: number | null) => ({
  password,
  set_at: isoOrNull(set_at),
});

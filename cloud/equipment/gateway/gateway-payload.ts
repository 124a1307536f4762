/** Gateways as REST shows them. */
import { z } from '@hono/zod-openapi';
import { PRESENCE_STATES } from '../../../shared/events/event-schemas.js';
import { datetime, id, isoOrNull, times, timesOf } from '../../rest/field/answer-schemas.js';
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
    claim_code_expires_at: datetime
      .nullable()
      .describe('Until when a device can become this gateway by its claim code; null when there is none to use.'),
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
        'The code by which a device becomes this gateway: it works once, until `claim_code_expires_at`; null when the answer is repeated.',
      ),
    claim_qr: z
      .string()
      .nullable()
      .describe('The text for a QR code that holds the claim code; shown only when the code is made.'),
  })
  .openapi('GatewayWithClaimCode');

/** Whether the gateway has a code that no device has used. */
export const hasOpenCode = ({ claim_code_hash, claimed_at }: Row<'gateways'>): boolean =>
  claim_code_hash !== null && claimed_at === null;

/** @param now wall milliseconds */
export function representGateway(row: Row<'gateways'>, now: number): Gateway {
  const { uuid, name, account_id, lot_id, status, agent_version } = row;
  const ends = hasOpenCode(row) && Number(row.claim_expires_at) > now ? row.claim_expires_at : null;
  const claim = { claimed_at: isoOrNull(row.claimed_at), claim_code_expires_at: isoOrNull(ends) };
  const seen = { last_seen: isoOrNull(row.last_seen), ...claim };
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

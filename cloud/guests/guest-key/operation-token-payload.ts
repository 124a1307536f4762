/** The representation of operation tokens in the REST interface. */
import { z } from '@hono/zod-openapi';
import type { Credential } from '../../../shared/gateway-config.js';
import { datetime, flag, flagOf, id, iso, isoOrNull, orNull, times, timesOf } from '../../rest/field/answer-schemas.js';
import type { Row } from '../../kernel/store/entry.js';

export const TOKEN_STATUSES = ['active', 'expired', 'blocked', 'invalid'] as const;
export type TokenStatus = (typeof TOKEN_STATUSES)[number];

/** base64url; empty while the token is not active, or its product is not paired. */
const credentialSchema = z
  .strictObject({
    token: z.string().describe('The token as base64url; empty while it is not active, or the product is not paired.'),
    status_key: z.string().describe('The key by which a phone reads what the product answers, as base64url.'),
    challenge_key: z
      .string()
      .describe('The key with which a phone proves that it may operate the product, as base64url.'),
  })
  .openapi('TokenCredential');

/** The credentials that a phone needs, one for each operation. */
export interface TokenCredentials {
  token_open: Credential;
  token_close: Credential;
  token_status: Credential;
}

const NONE: Credential = { token: '', status_key: '', challenge_key: '' };
export const NO_CREDENTIALS: TokenCredentials = { token_open: NONE, token_close: NONE, token_status: NONE };

export const operationTokenSchema = z
  .strictObject({
    id,
    product_id: id.describe('The product that the token operates.'),
    start_time: datetime,
    end_time: datetime.nullable(),
    status: z.enum(TOKEN_STATUSES).describe('Whether the token is good: `active`, or why not.'),
    used_count: z
      .number()
      .int()
      .describe('How often it was used over the service; uses over Bluetooth are not counted.'),
    is_unlimited: flag.describe('Whether the key may be used any number of times: 1 or 0.'),
    token_open: credentialSchema,
    token_close: credentialSchema,
    token_status: credentialSchema,
    deleted_at: datetime.nullable(),
    ...times,
  })
  .openapi('OperationToken');

/** An item of the list. `product` null: it was removed. */
export const listedTokenSchema = z
  .strictObject({
    ...operationTokenSchema.shape,
    product: orNull(z.strictObject({ device_id: z.string(), id })).describe('The product; null when it was removed.'),
  })
  .openapi('OperationTokenWithProduct');

/** Whether the product has learned that the token is no longer valid. */
export const tokenDeliverySchema = z
  .strictObject({
    state: z
      .enum(['none', 'pending', 'delivered'])
      .describe(
        'Whether the product has heard that the token is no longer good: `none` when there is nothing to hear.',
      ),
    delivered_at: datetime.nullable().describe('When the product had confirmed it; null before.'),
  })
  .openapi('OperationTokenDelivery');

export function representOperationToken(
  row: Row<'operation_tokens'>,
  credentials: TokenCredentials,
): z.infer<typeof operationTokenSchema> {
  const { product_id, status, used_count } = row;
  return {
    id: row.id,
    product_id,
    start_time: iso(row.start_time),
    end_time: isoOrNull(row.end_time),
    status,
    used_count,
    is_unlimited: flagOf(row.is_unlimited),
    ...credentials,
    deleted_at: isoOrNull(row.deleted_at),
    ...timesOf(row),
  };
}

/** @param denial the denial of the token's present credential; undefined: there is none, so the product need not be told */
export function representDelivery(
  denial: Pick<Row<'token_denials'>, 'delivered_at' | 'ends_at'> | undefined,
  now: number,
): z.infer<typeof tokenDeliverySchema> {
  if (denial === undefined) return { state: 'none', delivered_at: null };
  const { delivered_at, ends_at } = denial;
  if (delivered_at !== null) return { state: 'delivered', delivered_at: iso(delivered_at) };
  // A product refuses an expired credential by itself.
  return { state: ends_at !== null && ends_at <= now ? 'none' : 'pending', delivered_at: null };
}

/**
 * What is known of an operation token, which says until when a key is valid. Each backs one key log, and one operation key if the key was sent
 * to a receiver; both refer to it. The credentials are stored nowhere: they are derived from the product's master key when they are shown.
 */
import { z } from '@hono/zod-openapi';
import {
  computed,
  FLAG,
  identity,
  inner,
  optional,
  referenceTo,
  representationOf,
  shown,
  TIME,
  TIME_OR_NULL,
  timeOrNullField,
  TIMES,
  timeValue,
} from '../../rest/entry.js';

export const TOKEN_STATUSES = ['active', 'expired', 'blocked', 'invalid'] as const;
export type TokenStatus = (typeof TOKEN_STATUSES)[number];

const credential = computed(
  z
    .strictObject({
      token: z.string().describe('The token as base64url; empty while it is not active, or the product is not paired.'),
      status_key: z.string().describe('The key by which a phone reads what the product answers, as base64url.'),
      challenge_key: z
        .string()
        .describe('The key with which a phone proves that it may operate the product, as base64url.'),
    })
    .openapi('TokenCredential'),
);

export const OPERATION_TOKEN_FIELDS = {
  id: identity,
  account_id: inner({ partOf: 'accounts' }),
  /** There is no foreign key, because a token outlives its product as `invalid`. */
  product: referenceTo('products', {
    id: 'product_id',
    where: ' of this account',
    filter: true,
    says: 'The product that the token operates.',
  }),
  /** Left out: the time of its creation. */
  start_time: optional(timeValue, { form: TIME }),
  /** null: open-ended. */
  end_time: timeOrNullField(),
  status: shown(z.enum(TOKEN_STATUSES), { filter: true, says: 'Whether the token is good: `active`, or why not.' }),
  used_count: shown(z.number().int(), {
    says: 'How often it was used over the service; uses over Bluetooth are not counted.',
  }),
  is_unlimited: shown(FLAG, { says: 'Whether the key may be used any number of times: 1 or 0.' }),
  token_open: credential,
  token_close: credential,
  token_status: credential,
  deleted_at: shown(TIME_OR_NULL),
  ...TIMES,
  /**
   * The id in the product's credentials, 31 random bits, by which a product denies it. A key gets a new one with another window, with
   * another product, and when it is given again.
   */
  credential_id: inner('integer'),
};

export const OPERATION_TOKEN_ANSWER = representationOf('OperationToken', OPERATION_TOKEN_FIELDS);

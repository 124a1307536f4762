/** The representation of key logs and operation keys in the REST interface. */
import { z } from '@hono/zod-openapi';
import { datetime, id, iso, isoOrNull, orNull, times } from '../../rest/entry.js';
import { PRODUCT_ANSWER, representProduct } from '../../equipment/entry.js';
import type { KeyLogDetails, OperationKeyDetails } from './key-log-queries.js';
import type { TokenCredentials } from './guest-credentials.js';
import { OPERATION_TOKEN_ANSWER } from './operation-token-fields.js';

export const KEY_LOG_STATUSES = [
  'active',
  'reactived',
  'blocked',
  'invalid',
  'deleted',
  'depleted',
  'expired',
] as const;
export type KeyLogStatus = (typeof KEY_LOG_STATUSES)[number];

export const RECEIVER_TYPES = ['email', 'phone', 'license_plate'] as const;

const senderSchema = z
  .strictObject({
    id,
    account_id: id,
    account_user_role_id: id,
    email: z.string(),
    name: z.string(),
    phone: z.string(),
    deleted_at: z.null(),
    ...times,
  })
  .openapi('KeySender');

/** The state of the mail that brings a key. */
const invitationSchema = z
  .strictObject({
    status: z.enum(['queued', 'sent', 'failed']).describe('Whether the mail is queued, was sent, or failed for good.'),
    last_error: z.string().nullable(),
    sent_at: datetime.nullable(),
  })
  .openapi('KeyInvitation');

/** `product` null: it was removed. `sender` null: no user gave the key, or that user was deleted. `invitation` null: there is no mail. */
export const keyLogSchema = z
  .strictObject({
    id,
    name: z.string().describe('The name of the key, or of its receiver, for people.'),
    sender_id: id.nullable(),
    product_id: id.describe('The product that the key operates.'),
    operation_token_id: id,
    receiver_identifier: z.string().describe('The email address, telephone number or licence plate of the receiver.'),
    receiver_identifier_type: z
      .enum(RECEIVER_TYPES)
      .describe('What the receiver is known by. A licence plate is let pass by the cameras of the product.'),
    status: z.enum(KEY_LOG_STATUSES).describe('How the key is. What is set here decides the status of its token.'),
    deleted_at: datetime.nullable(),
    ...times,
    product: orNull(PRODUCT_ANSWER.schema).describe('The product; null when it was removed.'),
    operation_token: OPERATION_TOKEN_ANSWER.schema,
    sender: orNull(senderSchema),
    invitation: orNull(invitationSchema).describe(
      'What became of the mail by which the key was sent last; null when none is known of.',
    ),
  })
  .openapi('KeyLog');

const personSchema = z.strictObject({ id, email: z.string(), name: z.string() }).openapi('KeyPerson');

export const operationKeySchema = z
  .strictObject({
    id,
    name: z.string(),
    product_id: id.describe('The product that the key operates.'),
    sender_id: id.nullable(),
    operation_token_id: id,
    deleted_at: datetime.nullable(),
    ...times,
    receiver: personSchema,
    sender: orNull(personSchema),
    product: orNull(
      PRODUCT_ANSWER.schema
        .pick({ device_id: true, latitude: true, longitude: true, product_type_id: true, lot_id: true, zone_id: true })
        .extend({ id })
        .openapi('KeyProduct'),
    ).describe('The product; null when it was removed.'),
    operation_token: OPERATION_TOKEN_ANSWER.schema,
  })
  .openapi('OperationKey');

export const keyReceiverSchema = z.strictObject({ id, email: z.string(), name: z.string() }).openapi('KeyReceiver');

const timesOf = (row: { created_at: number; updated_at: number }) => ({
  created_at: iso(row.created_at),
  updated_at: iso(row.updated_at),
});

export function representKeyLog(
  { log, token, product, sender, invitation }: KeyLogDetails,
  credentials: TokenCredentials,
): z.infer<typeof keyLogSchema> {
  const { name, sender_id, product_id, operation_token_id, receiver_identifier, receiver_identifier_type } = log;
  return {
    id: log.id,
    name,
    sender_id,
    product_id,
    operation_token_id,
    receiver_identifier,
    receiver_identifier_type,
    status: log.status,
    deleted_at: isoOrNull(log.deleted_at),
    ...timesOf(log),
    product: product === null ? null : representProduct(product),
    operation_token: OPERATION_TOKEN_ANSWER.of(token, credentials),
    sender: sender === null ? null : representSender(sender),
    invitation:
      invitation === null
        ? null
        : {
            status: invitation.status,
            last_error: invitation.last_error,
            sent_at: isoOrNull(invitation.sent_at),
          },
  };
}

function representSender(user: NonNullable<KeyLogDetails['sender']>): z.infer<typeof senderSchema> {
  const { account_id, account_user_role_id, email, name, phone } = user;
  return { id: user.id, account_id, account_user_role_id, email, name, phone, deleted_at: null, ...timesOf(user) };
}

export function representOperationKey(
  { key, token, product, sender, receiver }: OperationKeyDetails,
  credentials: TokenCredentials,
): z.infer<typeof operationKeySchema> {
  const { name, product_id, sender_id, operation_token_id } = key;
  return {
    id: key.id,
    name,
    product_id,
    sender_id,
    operation_token_id,
    deleted_at: isoOrNull(key.deleted_at),
    ...timesOf(key),
    receiver: representPerson(receiver),
    sender: sender === null ? null : representPerson(sender),
    product: product === null ? null : productOfKey(product.product),
    operation_token: OPERATION_TOKEN_ANSWER.of(token, credentials),
  };
}

export const representPerson = ({ id: personId, email, name }: { id: number; email: string; name: string }) => ({
  id: personId,
  email,
  name,
});

function productOfKey(row: NonNullable<OperationKeyDetails['product']>['product']) {
  const { device_id, latitude, longitude, product_type_id, lot_id, zone_id } = row;
  return { device_id, latitude, longitude, product_type_id, lot_id, zone_id, id: row.id };
}

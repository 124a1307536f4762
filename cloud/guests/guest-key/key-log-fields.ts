/** What is known of a key log, of a key that was sent to a receiver, and of the people around them. */
import { z } from '@hono/zod-openapi';
import { normalisePlate } from '../../../shared/plate/normalise-plate.js';
import { PRODUCT_ANSWER } from '../../equipment/entry.js';
import {
  always,
  computed,
  emailValue,
  id,
  identity,
  inner,
  keptElsewhere,
  nameValue,
  oneLine,
  orNull,
  plateValue,
  representationOf,
  required,
  shown,
  TIME_OR_NULL,
  TIMES,
  timeValue,
  type Values,
  wholeReferenceTo,
} from '../../rest/entry.js';
import { OPERATION_TOKEN_ANSWER, OPERATION_TOKEN_FIELDS } from './operation-token-fields.js';

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

export const RECEIVERS = {
  email: emailValue,
  phone: z.string().regex(/^\+?\d[\d ()/-]{3,30}$/, 'must be a telephone number such as "+385 21 123456"'),
  license_plate: plateValue,
} as const;
type ReceiverType = keyof typeof RECEIVERS;

export const KEY_SENDER = representationOf('KeySender', {
  id: identity,
  account_id: shown(id),
  account_user_role_id: shown(id),
  email: shown(z.string()),
  name: shown(z.string()),
  phone: shown(z.string()),
  deleted_at: always(z.null(), null),
  ...TIMES,
});

/** The state of the mail that brings a key. */
export const KEY_INVITATION = representationOf('KeyInvitation', {
  status: shown(z.enum(['queued', 'sent', 'failed']), {
    says: 'Whether the mail is queued, was sent, or failed for good.',
  }),
  last_error: shown(z.string().nullable()),
  sent_at: shown(TIME_OR_NULL),
});

const personFields = {
  id: identity,
  email: shown(z.string(), { filter: 'person', sort: true }),
  name: shown(z.string(), { filter: 'person', sort: true }),
} as const;

export const KEY_PERSON = representationOf('KeyPerson', personFields);

/** A person to whom an account has sent keys. The address is in lower case. */
export const KEY_RECEIVER_FIELDS = {
  ...personFields,
  account_id: inner({ partOf: 'accounts' }),
  /** The receiver's language (BCP 47), as a browser of theirs has said it; null: not known. */
  locale: inner('text null'),
  created_at: inner('bigint'),
  updated_at: inner('bigint'),
};

export const KEY_RECEIVER = representationOf('KeyReceiver', KEY_RECEIVER_FIELDS);

/** The token holds the window. */
export const KEY_LOG_FIELDS = {
  id: identity,
  account_id: inner({ partOf: 'accounts' }),
  name: required(nameValue, {
    filter: 'person',
    sort: true,
    says: 'The name of the key, or of its receiver, for people.',
  }),
  /** null: the key was created without a user (by a site file or a public request). */
  sender_id: shown(id.nullable()),
  product_id: shown(id, { filter: true, says: 'The product that the key operates.' }),
  operation_token_id: shown(id),
  receiver_identifier: required(oneLine(z.string().trim().min(1).max(254)), {
    columns: {
      receiver_identifier: {
        from: (identifier: string, { receiver_identifier_type: type }: Values) =>
          type === 'email' ? emailValue.parse(identifier) : identifier,
      },
      plate_normalised: {
        from: (identifier: string, { receiver_identifier_type: type }: Values) =>
          type === 'license_plate' ? normalisePlate(identifier) : null,
      },
    },
    dependsOn: ['receiver_identifier_type'],
    says: 'The email address, telephone number or licence plate of the receiver.',
  }),
  receiver_identifier_type: required(z.enum(Object.keys(RECEIVERS) as [ReceiverType, ...ReceiverType[]]), {
    filter: true,
    says: 'What the receiver is known by. A licence plate is let pass by the cameras of the product.',
  }),
  /** It never contradicts the status of the token. */
  status: shown(z.enum(KEY_LOG_STATUSES), {
    filter: true,
    says: 'How the key is. What is set here decides the status of its token.',
  }),
  deleted_at: shown(TIME_OR_NULL),
  ...TIMES,
  product: wholeReferenceTo('products', orNull(PRODUCT_ANSWER.schema), {
    id: 'product_id',
    where: ' of this account',
    says: 'The product; null when it was removed.',
  }),
  operation_token: computed(OPERATION_TOKEN_ANSWER.schema),
  /** null: no user gave the key, or that user was deleted. */
  sender: computed(orNull(KEY_SENDER.schema)),
  invitation: computed(orNull(KEY_INVITATION.schema), {
    says: 'What became of the mail by which the key was sent last; null when none is known of.',
  }),
  /** Left out of a site file: the time of its creation. */
  start_time: keptElsewhere(required<number | undefined>(timeValue, { inFile: timeValue.optional() })),
  end_time: keptElsewhere(OPERATION_TOKEN_FIELDS.end_time),
  /** The receiver's license plate, which cameras of the product admit; null for any other receiver. */
  plate_normalised: inner('text null'),
  /** The mail by which it was sent last; null: none was sent. */
  invitation_mail_id: inner('integer null'),
};

/** Its key log is that of the same operation token. */
export const OPERATION_KEY_FIELDS = {
  id: identity,
  account_id: inner({ partOf: 'accounts' }),
  name: shown(z.string(), { filter: 'person' }),
  product_id: shown(id, { filter: true, says: 'The product that the key operates.' }),
  sender_id: shown(id.nullable()),
  operation_token_id: shown(id),
  deleted_at: shown(TIME_OR_NULL),
  ...TIMES,
  receiver: computed(KEY_PERSON.schema),
  sender: computed(orNull(KEY_PERSON.schema)),
  product: computed(
    orNull(
      PRODUCT_ANSWER.schema
        .pick({ device_id: true, latitude: true, longitude: true, product_type_id: true, lot_id: true, zone_id: true })
        .extend({ id })
        .openapi('KeyProduct'),
    ),
    { says: 'The product; null when it was removed.' },
  ),
  operation_token: computed(OPERATION_TOKEN_ANSWER.schema),
  receiver_id: inner({ partOf: 'key_receivers' }),
};

/** What is known of a terminal. */
import { z } from 'zod';
import { isCurrency } from '../../../shared/currencies.js';
import { PRESENCE_STATES } from '../../../shared/events/event-schemas.js';
import { cameraDeviceIdSchema } from '../../../shared/ids.js';
import { decodeBase64url } from '../../../shared/product-protocol/base64url.js';
import {
  flagValue,
  identity,
  inFile,
  inFileAndAnswers,
  inner,
  inRest,
  macValue,
  nameValue,
  nameValueOf,
  referenceTo,
  required,
  shown,
  shownAs,
  TIME_OR_NULL,
  TIMES,
  withDefault,
} from '../../rest/entry.js';

const KEY_BYTES = 32;

/** A raw Ed25519 key. */
export const terminalKeyValue = z
  .string()
  .refine((text) => decodeBase64url(text)?.length === KEY_BYTES, `must be ${KEY_BYTES} bytes as base64url`);

/** Neither PATCH nor a site file changes what the terminal itself reports. */
export const TERMINAL_FIELDS = {
  id: identity,
  account_id: inner({ partOf: 'accounts' }),
  /** null: in no zone yet. */
  zone: inRest(referenceTo('zones', { id: 'zone_id', isNullable: true, filter: true })),
  name: required(nameValue, { filter: true, sort: true }),
  status: shown(z.enum(PRESENCE_STATES), { filter: true }),
  device_id: inFileAndAnswers(required(cameraDeviceIdSchema, { filter: true })),
  ip_address: shown(z.string().nullable(), { says: 'The IP address that the terminal reported; null before it did.' }),
  version: shown(z.string().nullable()),
  /** `02:00:00:00:00:01`, or empty. */
  mac: inFileAndAnswers(
    withDefault(z.union([z.literal(''), macValue], 'must be an address such as "02:00:00:00:00:01"'), ''),
  ),
  /** The terminal is addressed by it; null: its answers cannot be verified. */
  public_key: inFile(withDefault(terminalKeyValue.nullable(), null)),
  is_master: required(z.boolean(), {
    inFile: flagValue.transform(Boolean).default(false),
    columns: { is_master: { from: Number } },
    read: ({ is_master }) => is_master === 1,
    form: shownAs(z.boolean()),
    says: 'Whether it is the master among the terminals of its lot.',
  }),
  type: required(z.enum(['entry', 'exit', 'pof', 'lp_pof', 'lp_exit']), {
    says: 'What the terminal is for: entry, exit, or paying.',
  }),
  pos_serial_number: inRest(
    required(nameValueOf(200).nullable(), {
      says: 'The serial number of the payment terminal; null without one.',
    }),
  ),
  electronic_device_id: inRest(
    required(nameValueOf(200).nullable(), {
      says: 'The identifier of the electronic device for taxes; null without one.',
    }),
  ),
  system_currency: inRest(
    required(z.string().refine(isCurrency, 'must be a currency such as EUR').nullable(), {
      says: 'The currency that the terminal works with; null when it is not known.',
    }),
  ),
  last_seen: shown(TIME_OR_NULL),
  ...TIMES,
};

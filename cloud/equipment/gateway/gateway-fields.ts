/** What is known of a gateway. */
import { z } from '@hono/zod-openapi';
import type { PasswordVerifier } from '../../../shared/gateway-config.js';
import { PRESENCE_STATES } from '../../../shared/events/event-schemas.js';
import { gatewayUuidSchema } from '../../../shared/ids.js';
import type { JsonColumn, Text } from '../../kernel/store/entry.js';
import {
  accountField,
  computed,
  datetime,
  HIDDEN,
  identity,
  inFile,
  inner,
  inRest,
  nameValue,
  oneLine,
  optional,
  referenceTo,
  required,
  shown,
  shownAs,
  TIME_OR_NULL,
  TIMES,
} from '../../rest/entry.js';

export const GATEWAY_FIELDS = {
  id: identity,
  /** Left out: the uuid of the device that claims it; null until then. */
  uuid: optional(gatewayUuidSchema, {
    columns: { uuid: { from: (uuid: string): string | null => uuid } },
    form: shownAs(z.string().nullable()),
    filter: true,
  }),
  name: required(nameValue, { filter: true, sort: true }),
  account_id: accountField({ filter: true }),
  lot: inRest(
    referenceTo('lots', {
      id: 'lot_id',
      isNullable: true,
      default: null,
      filter: true,
      says: 'The lot whose products the gateway operates; null for none yet.',
    }),
  ),
  status: shown(z.enum(PRESENCE_STATES), { filter: true }),
  agent_version: shown(z.string().nullable()),
  last_seen: shown(TIME_OR_NULL),
  claimed_at: shown(TIME_OR_NULL, { says: 'When a device became this gateway; null before.' }),
  claim_code_expires_at: computed(datetime.nullable(), {
    says: 'Until when a device can become this gateway by its claim code; null when there is none to use.',
  }),
  ...TIMES,
  claim_code: inFile(
    optional(oneLine(z.string().regex(/^\S{12,128}$/, 'must be 12 to 128 characters without spaces')), {
      columns: {},
      form: HIDDEN,
    }),
  ),
  /** SHA-256 of the one-time claim code. It is kept after the use of the code, so that a repeat is recognised. */
  claim_code_hash: inner('text null'),
  /** When an unused code ends; null: never (a code from a site file). */
  claim_expires_at: inner('bigint null'),
  /** 1: the secrets of its things go along to the device that uses the code. */
  claim_keeps_secrets: inner({ type: 'integer', default: 0 }),
  /** When the present device was claimed first; another claim of the same device does not change it. */
  device_since: inner('bigint null'),
  /** The hash of the code by which the present device was claimed: its broker password is made of it. */
  claimed_code_hash: inner('text null'),
  /** Raw Ed25519 key, base64url. */
  public_key: inner('text null'),
  mqtt_password_hash: inner('text null'),
  /** The gateway's slot at the products (product protocol): 1 to 15, unique in the lot. */
  slot: inner('integer'),
  slot_generation: inner('integer'),
  presence_boot_id: inner('text null'),
  presence_connection: inner('integer null'),
  /** The password for its local console, sealed; null: it has none. */
  console_password_sealed: inner('text null'),
  console_password_verifier: inner('text null' as Text<JsonColumn<PasswordVerifier, null>>),
  console_password_set_at: inner('bigint null'),
};

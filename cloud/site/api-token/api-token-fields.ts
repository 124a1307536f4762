/** What is known of an API token. */
import { z } from 'zod';
import { ALL_ROLES } from '../../kernel/auth/entry.js';
import {
  accountField,
  computed,
  HIDDEN,
  id,
  identity,
  inner,
  nameValueOf,
  optional,
  required,
  shown,
  TIME_OR_NULL,
  TIMES,
} from '../../rest/entry.js';

export const apiTokenNameValue = nameValueOf(255);

export const API_TOKEN_FIELDS = {
  id: identity,
  name: required(apiTokenNameValue, { filter: true, sort: true }),
  account_id: accountField({ filter: true }),
  role: computed(z.enum(ALL_ROLES), {
    says: 'What the token may at most: `Super Admin`, `Admin` or `Attendant`.',
  }),
  lot_ids: computed(z.array(id).nullable(), {
    says: 'The lots that the token is limited to; null for those of the user that it acts as.',
  }),
  expires_at: shown(TIME_OR_NULL, { says: 'When the token ends; null for never.' }),
  /** Only its hash is stored. Left out: a token is generated. */
  token: optional(
    z.string().regex(/^[A-Za-z0-9._-]{32,200}$/, 'must be 32 or more letters, digits, dots, dashes or underscores'),
    { columns: {}, form: HIDDEN },
  ),
  token_hash: inner('text'),
  /** The highest role that the token may use: 1 Super Admin, 2 Admin, 3 Attendant. */
  account_user_role_id: inner({ type: 'integer', default: 1 }),
  /** 0: the token sees the present lots of the user it acts as. 1: it sees only those of them that `api_token_lots` lists. */
  has_own_lots: inner({ type: 'integer', default: 0 }),
  ...TIMES,
};

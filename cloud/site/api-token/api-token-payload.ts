/** The representation of API tokens in the REST interface. */
import { z } from '@hono/zod-openapi';
import { ALL_ROLES, roleName } from '../../kernel/auth/role-schemas.js';
import { datetime, id, isoOrNull, times, timesOf } from '../../rest/field/answer-schemas.js';
import type { ApiTokenDetails } from './api-token-queries.js';

const apiTokenKeys = {
  id,
  name: z.string(),
  account_id: id,
  role: z.enum(ALL_ROLES).describe('What the token may at most: `Super Admin`, `Admin` or `Attendant`.'),
  lot_ids: z
    .array(id)
    .nullable()
    .describe('The lots that the token is limited to; null for those of the user that it acts as.'),
  expires_at: datetime.nullable().describe('When the token ends; null for never.'),
  ...times,
};

export const apiTokenSchema = z.strictObject(apiTokenKeys).openapi('ApiToken');

export type ApiToken = z.infer<typeof apiTokenSchema>;

/** The answer to the creation of a token is the only one that contains it. The token is null when the answer is repeated. */
export const newApiTokenSchema = z
  .strictObject({ ...apiTokenKeys, token: z.string().nullable() })
  .openapi('NewApiToken');

export function representApiToken({ token, lot_ids }: ApiTokenDetails): ApiToken {
  const { id: token_id, name, account_id } = token;
  const role = roleName(token.account_user_role_id);
  return {
    id: token_id,
    name,
    account_id,
    role,
    lot_ids,
    expires_at: isoOrNull(token.expires_at),
    ...timesOf(token),
  };
}

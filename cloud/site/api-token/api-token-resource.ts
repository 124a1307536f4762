/** API tokens: in site files, and the list of REST. REST creates and revokes them by `api-token-routes.ts`. */
import { z } from '@hono/zod-openapi';
import { roleName } from '../../kernel/auth/entry.js';
import { type AnswerOf, defineResource, listTable, representationOf } from '../../rest/entry.js';
import { API_TOKEN_FIELDS } from './api-token-fields.js';
import { type ApiTokenDetails, apiTokensByIds } from './api-token-queries.js';

export const API_TOKEN_ANSWER = representationOf('ApiToken', API_TOKEN_FIELDS);

/** The answer to the creation of a token is the only one that contains it. The token is null when the answer is repeated. */
export const newApiTokenSchema = z
  .strictObject({ ...API_TOKEN_ANSWER.schema.shape, token: z.string().nullable() })
  .openapi('NewApiToken');

export const representApiToken = ({ token, lot_ids }: ApiTokenDetails): AnswerOf<typeof API_TOKEN_FIELDS> =>
  API_TOKEN_ANSWER.of(token, { role: roleName(token.account_user_role_id), lot_ids });

export const API_TOKEN = defineResource({
  table: 'api_tokens',
  one: 'API token',
  many: 'API tokens',
  fields: API_TOKEN_FIELDS,
  unique: [
    { field: 'name', within: 'account' },
    { field: 'token', within: 'everywhere', column: 'token_hash', isSecret: true },
  ],
  file: {
    at: ['api_tokens'],
    declare({ token }, { hashToken, generateToken }) {
      if (typeof token === 'string') return { values: { token_hash: hashToken(token) } };
      const secret = generateToken();
      return { initially: { token_hash: hashToken(secret) }, made: { what: 'token', secret } };
    },
  },
});

/** GET /v2/api-tokens */
export const API_TOKEN_LIST = listTable({
  from: 'api_tokens',
  id: 'api_tokens.id',
  scope: { account_id: 'api_tokens.account_id' },
  fields: API_TOKEN_FIELDS,
  rows: apiTokensByIds,
});

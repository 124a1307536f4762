/** API tokens: in site files, and the list of REST. REST creates and revokes them by `api-token-routes.ts`. */
import { z } from 'zod';
import {
  defineResource,
  integerField,
  listTable,
  nameValueOf,
  optional,
  required,
  textField,
} from '../../rest/entry.js';
import { apiTokensByIds } from './api-token-queries.js';

export const apiTokenNameValue = nameValueOf(255);

export const API_TOKEN = defineResource({
  table: 'api_tokens',
  one: 'API token',
  many: 'API tokens',
  fields: {
    name: required(apiTokenNameValue),
    /** Only its hash is stored. Left out: a token is generated. */
    token: optional(
      z.string().regex(/^[A-Za-z0-9._-]{32,200}$/, 'must be 32 or more letters, digits, dots, dashes or underscores'),
      { columns: {} },
    ),
  },
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
  filters: {
    name: textField('api_tokens.name'),
    account_id: integerField('api_tokens.account_id'),
  },
  sorts: { name: 'api_tokens.name' },
  rows: apiTokensByIds,
});

import { apiTokensByIds } from './api-token-queries.js';
import { integerField, listTable, textField } from '../../rest/entry.js';

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

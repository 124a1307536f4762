import { accountUsersByIds } from './account-user-queries.js';
import { integerField, listTable, textField } from '../../rest/entry.js';

/** GET /v2/account-users */
export const ACCOUNT_USER_LIST = listTable({
  from: 'account_users',
  id: 'account_users.id',
  scope: { account_id: 'account_users.account_id' },
  filters: {
    name: textField('account_users.name'),
    email: textField('account_users.email'),
    account_id: integerField('account_users.account_id'),
    account_user_role_id: integerField('account_users.account_user_role_id'),
  },
  sorts: { name: 'account_users.name', email: 'account_users.email' },
  rows: accountUsersByIds,
});

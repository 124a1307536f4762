/** GET /v2/members, /v2/groups, /v2/tariffs: what belongs to the whole account. */
import { groupsByIds, membersByIds, tariffsByIds } from '../queries/site-records.js';
import { integerField, plateField, textField } from './list-fields.js';
import { listTable } from './list-table.js';

export const MEMBER_LIST = listTable({
  from: (db) => db.selectFrom('members'),
  id: 'members.id',
  scope: { account_id: 'members.account_id' },
  filters: {
    id: integerField('members.id'),
    name: textField('members.name'),
    email: textField('members.email'),
    license_plate: plateField('members.plate_normalised'),
    account_id: integerField('members.account_id'),
  },
  sorts: { id: 'members.id', name: 'members.name' },
  rows: membersByIds,
});

export const GROUP_LIST = listTable({
  from: (db) => db.selectFrom('groups'),
  id: 'groups.id',
  scope: { account_id: 'groups.account_id' },
  filters: {
    id: integerField('groups.id'),
    name: textField('groups.name'),
    account_id: integerField('groups.account_id'),
  },
  sorts: { id: 'groups.id', name: 'groups.name' },
  rows: groupsByIds,
});

export const TARIFF_LIST = listTable({
  from: (db) => db.selectFrom('tariffs'),
  id: 'tariffs.id',
  scope: { account_id: 'tariffs.account_id' },
  filters: {
    id: integerField('tariffs.id'),
    name: textField('tariffs.name'),
    account_id: integerField('tariffs.account_id'),
  },
  sorts: { id: 'tariffs.id', name: 'tariffs.name' },
  rows: tariffsByIds,
});

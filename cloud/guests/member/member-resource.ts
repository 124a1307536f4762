/** Members: their plates are admitted by the zones of their groups, in their time. */
import { defineResource, endsAfter, listTable, representationOf } from '../../rest/entry.js';
import { lotIdsOfAccount } from '../../site/entry.js';
import { MEMBER_FIELDS } from './member-fields.js';
import { LOTS_OF_MEMBER, membersByIds } from './member-queries.js';

export const MEMBER_LIST = listTable({
  from: 'members',
  id: 'members.id',
  scope: { account_id: 'members.account_id' },
  actsOn: LOTS_OF_MEMBER,
  fields: MEMBER_FIELDS,
  rows: membersByIds,
});

export const MEMBER_ANSWER = representationOf('Member', MEMBER_FIELDS);

export const MEMBER = defineResource({
  table: 'members',
  one: 'member',
  many: 'members',
  fields: MEMBER_FIELDS,
  rules: [endsAfter('valid_from', 'valid_until')],
  unique: [{ field: 'name', within: 'account' }],
  rest: {
    path: '/v2/members',
    tag: 'Members and groups',
    list: MEMBER_LIST,
    item: MEMBER_ANSWER.schema,
    items: (rows) => rows.map((row) => MEMBER_ANSWER.of(row)),
    gatewaysOf: ({ account_id }, db) => lotIdsOfAccount(db, account_id),
    sections: ['plates'],
  },
  file: { at: ['members'] },
});

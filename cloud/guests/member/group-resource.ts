/** Groups of members: the zones that admit them and the tariffs that apply to them. */
import { type Caller, seesLot } from '../../kernel/auth/entry.js';
import { type AnswerOf, defineResource, listTable, representationOf } from '../../rest/entry.js';
import { lotIdsOfAccount } from '../../site/entry.js';
import { GROUP_FIELDS } from './group-fields.js';
import { type GroupRow, groupsByIds, LOTS_OF_GROUP } from './group-queries.js';

export const GROUP_LIST = listTable({
  from: 'groups',
  id: 'groups.id',
  scope: { account_id: 'groups.account_id' },
  actsOn: LOTS_OF_GROUP,
  fields: GROUP_FIELDS,
  rows: groupsByIds,
});

export const GROUP_ANSWER = representationOf('Group', GROUP_FIELDS);

/** Represents a group for a caller, without the zones of lots that the caller cannot see. */
export function representGroupFor(caller: Caller, row: GroupRow): AnswerOf<typeof GROUP_FIELDS> {
  const seen = row.zones.filter(({ lot_id }) => seesLot(caller, lot_id));
  return GROUP_ANSWER.of({ ...row, zones: seen.map(({ id, name }) => ({ id, name })) });
}

export const GROUP = defineResource({
  table: 'groups',
  one: 'group',
  many: 'groups',
  fields: GROUP_FIELDS,
  unique: [{ field: 'name', within: 'account' }],
  rest: {
    path: '/v2/groups',
    tag: 'Members and groups',
    list: GROUP_LIST,
    item: GROUP_ANSWER.schema,
    items: (rows, { caller }) => rows.map((row) => representGroupFor(caller, row)),
    gatewaysOf: ({ account_id }, db) => lotIdsOfAccount(db, account_id),
    sections: ['plates'],
  },
  file: { at: ['groups'] },
});

/** Groups of members: the zones that admit them and the tariffs that apply to them. */
import { type Caller, seesLot } from '../../kernel/auth/entry.js';
import {
  defineResource,
  integerField,
  listTable,
  nameValue,
  referencesTo,
  required,
  textField,
  textValue,
  withDefault,
} from '../../rest/entry.js';
import { lotIdsOfAccount } from '../../site/entry.js';
import { type Group, representGroup, groupSchema } from './group-payload.js';
import { type GroupRow, groupsByIds, LOTS_OF_GROUP } from './group-queries.js';

export const GROUP_LIST = listTable({
  from: 'groups',
  id: 'groups.id',
  scope: { account_id: 'groups.account_id' },
  actsOn: LOTS_OF_GROUP,
  filters: {
    name: textField('groups.name'),
    account_id: integerField('groups.account_id'),
  },
  sorts: { name: 'groups.name' },
  rows: groupsByIds,
});

/** Represents a group for a caller, without the zones of lots that the caller cannot see. */
export function representGroupFor(caller: Caller, row: GroupRow): Group {
  return representGroup(
    row,
    row.zones.filter(({ lot_id }) => seesLot(caller, lot_id)),
  );
}

export const GROUP = defineResource({
  table: 'groups',
  one: 'group',
  many: 'groups',
  fields: {
    name: required(nameValue),
    description: withDefault(textValue, ''),
    zones: referencesTo('zones', {
      id: 'zone_ids',
      pairs: { table: 'group_zones', from: 'group_id', to: 'zone_id', isOrdered: false },
    }),
    /** The first one sets the prices. */
    tariffs: referencesTo('tariffs', {
      id: 'tariff_ids',
      pairs: { table: 'group_tariffs', from: 'group_id', to: 'tariff_id', isOrdered: true },
    }),
  },
  // In a site file, members name their groups.
  restFields: {
    members: referencesTo('members', {
      id: 'member_ids',
      pairs: { table: 'group_members', from: 'group_id', to: 'member_id', isOrdered: false },
      isMutual: true,
    }),
  },
  unique: [{ field: 'name', within: 'account' }],
  rest: {
    path: '/v2/groups',
    tag: 'Members and groups',
    list: GROUP_LIST,
    item: groupSchema,
    items: (rows, { caller }) => rows.map((row) => representGroupFor(caller, row)),
    gatewaysOf: ({ account_id }, db) => lotIdsOfAccount(db, account_id),
    sections: ['plates'],
  },
  file: { at: ['groups'] },
});

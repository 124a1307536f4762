/** Members: their plates are admitted by the zones of their groups. */
import { z } from 'zod';
import { normalisePlate } from '../../../shared/plate/normalise-plate.js';
import {
  defineResource,
  integerField,
  listTable,
  nameValue,
  optionalEmailValue,
  personField,
  plateField,
  plateValue,
  referencesTo,
  required,
  textValue,
  withDefault,
} from '../../rest/entry.js';
import { lotIdsOfAccount } from '../../site/entry.js';
import { representMember, memberSchema } from './member-payload.js';
import { LOTS_OF_MEMBER, membersByIds } from './member-queries.js';

export const MEMBER_LIST = listTable({
  from: 'members',
  id: 'members.id',
  scope: { account_id: 'members.account_id' },
  actsOn: LOTS_OF_MEMBER,
  filters: {
    name: personField('members.name'),
    email: personField('members.email'),
    license_plate: plateField('members.plate_normalised'),
    account_id: integerField('members.account_id'),
  },
  sorts: { name: 'members.name' },
  rows: membersByIds,
});

const plateColumns = {
  license_plate: { from: (plate: string) => plate },
  plate_normalised: { from: normalisePlate },
};

export const MEMBER = defineResource({
  table: 'members',
  one: 'member',
  many: 'members',
  fields: {
    name: required(nameValue),
    description: withDefault(textValue, ''),
    email: withDefault(optionalEmailValue, ''),
    groups: referencesTo('groups', {
      id: 'group_ids',
      pairs: { table: 'group_members', from: 'member_id', to: 'group_id', isOrdered: false },
      isMutual: true,
    }),
  },
  // A site file requires a plate; REST does not.
  restFields: {
    license_plate: withDefault(z.union([z.literal(''), plateValue], 'must be a license plate'), '', {
      columns: plateColumns,
    }),
  },
  fileFields: { license_plate: required(plateValue, { columns: plateColumns }) },
  unique: [{ field: 'name', within: 'account' }],
  rest: {
    path: '/v2/members',
    tag: 'Members and groups',
    list: MEMBER_LIST,
    item: memberSchema,
    items: (rows) => rows.map(representMember),
    gatewaysOf: ({ account_id }, db) => lotIdsOfAccount(db, account_id),
    sections: ['plates'],
  },
  file: { at: ['members'] },
});

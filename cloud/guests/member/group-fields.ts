/** What is known of a group of members. */
import {
  accountField,
  identity,
  inRest,
  namedReferencesTo,
  nameValue,
  required,
  textValue,
  TIMES,
  withDefault,
} from '../../rest/entry.js';

export const GROUP_FIELDS = {
  id: identity,
  name: required(nameValue, { filter: true, sort: true }),
  description: withDefault(textValue, ''),
  account_id: accountField({ filter: true }),
  /** In a site file, members name their groups. */
  members: inRest(
    namedReferencesTo('members', {
      id: 'member_ids',
      pairs: { table: 'group_members', from: 'group_id', to: 'member_id', isOrdered: false },
      isMutual: true,
      says: 'The members of the group.',
    }),
  ),
  /** The first one sets the prices. */
  tariffs: namedReferencesTo('tariffs', {
    id: 'tariff_ids',
    pairs: { table: 'group_tariffs', from: 'group_id', to: 'tariff_id', isOrdered: true },
    says: 'The tariffs of the group.',
  }),
  zones: namedReferencesTo('zones', {
    id: 'zone_ids',
    pairs: { table: 'group_zones', from: 'group_id', to: 'zone_id', isOrdered: false },
  }),
  ...TIMES,
};

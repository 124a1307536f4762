/** What is known of a member. */
import { z } from 'zod';
import {
  accountField,
  identity,
  namedReferencesTo,
  nameValue,
  optionalEmailValue,
  plateColumns,
  plateValue,
  required,
  textValue,
  timeOrNullField,
  TIMES,
  withDefault,
} from '../../rest/entry.js';

export const MEMBER_FIELDS = {
  id: identity,
  name: required(nameValue, { filter: 'person', sort: true }),
  description: withDefault(textValue, ''),
  email: withDefault(optionalEmailValue, '', { filter: 'person' }),
  /** A site file requires a plate; REST does not. */
  license_plate: withDefault(z.union([z.literal(''), plateValue], 'must be a license plate'), '', {
    isRequiredInFile: true,
    inFile: plateValue,
    columns: plateColumns('license_plate'),
    filter: { plate: 'plate_normalised' },
  }),
  valid_from: timeOrNullField({ filter: true, says: 'From when the member is admitted; null: always.' }),
  valid_until: timeOrNullField({ filter: true, says: 'Until when the member is admitted; null: without an end.' }),
  account_id: accountField({ filter: true }),
  groups: namedReferencesTo('groups', {
    id: 'group_ids',
    pairs: { table: 'group_members', from: 'member_id', to: 'group_id', isOrdered: false },
    isMutual: true,
    says: 'The groups that the member is in.',
  }),
  ...TIMES,
};

/** What is known of a member. */
import { z } from 'zod';
import { decodeJson, type JsonText } from '../../../shared/json-text-codec.js';
import {
  accountField,
  identity,
  jsonColumn,
  momentOrNullField,
  namedReferencesTo,
  nameValue,
  optionalEmailValue,
  plateColumns,
  platesValue,
  plateValue,
  reasonValue,
  required,
  textValue,
  timeOrNullField,
  TIMES,
  withDefault,
} from '../../rest/entry.js';

export const MEMBER_PLATES_MAX = 10;

export const MEMBER_FIELDS = {
  id: identity,
  name: required(nameValue, { filter: 'person', sort: true }),
  description: withDefault(textValue, ''),
  email: withDefault(optionalEmailValue, '', { filter: 'person' }),
  /** The first of `plates`. A site file requires one of the two; REST does not. */
  license_plate: withDefault(z.union([z.literal(''), plateValue], 'must be a license plate'), '', {
    inFile: plateValue,
    columns: plateColumns('license_plate'),
  }),
  /** `member_plates` has them in the form in which plates are compared. */
  plates: withDefault(platesValue(MEMBER_PLATES_MAX), [], {
    columns: { plates: jsonColumn<string[]>() },
    read: ({ plates }) => decodeJson(plates as JsonText<string[]>),
    says: 'All plates of the member; the first one is `license_plate`.',
  }),
  valid_from: timeOrNullField({ filter: true, says: 'From when the member is admitted; null: always.' }),
  valid_until: timeOrNullField({ filter: true, says: 'Until when the member is admitted; null: without an end.' }),
  blocked_at: momentOrNullField({
    filter: true,
    says: 'Since when the member is blocked, and not whitelisted; null: not blocked.',
  }),
  blocked_reason: withDefault(reasonValue.nullable(), null, {
    says: 'Why the member is blocked, in the words of who blocked; null: nobody said, or not blocked.',
  }),
  account_id: accountField({ filter: true }),
  groups: namedReferencesTo('groups', {
    id: 'group_ids',
    pairs: { table: 'group_members', from: 'member_id', to: 'group_id', isOrdered: false },
    isMutual: true,
    says: 'The groups that the member is in.',
  }),
  ...TIMES,
};

/** What is known of a lot. */
import { z } from 'zod';
import { parseUpdateHours } from '../../../shared/update-hours.js';
import {
  accountField,
  computed,
  id,
  identity,
  inner,
  latitudeValue,
  longitudeValue,
  nameValue,
  required,
  shown,
  textValue,
  TIME_OR_NULL,
  TIMES,
  timezoneValue,
  wholeValue,
  withDefault,
} from '../../rest/entry.js';

const updateHoursValue = z
  .string()
  .refine((text) => parseUpdateHours(text) !== null, 'must be two times of the day such as 02:00-05:00')
  .nullable();

export const LOT_FIELDS = {
  id: identity,
  lot_cluster_id: computed(id),
  account_id: accountField({ filter: true }),
  name: required(nameValue, { filter: true, sort: true }),
  address: withDefault(textValue, '', { says: 'The street and number of the lot.' }),
  latitude: withDefault(latitudeValue, null),
  longitude: withDefault(longitudeValue, null),
  timezone: withDefault(timezoneValue, 'UTC'),
  offline_exit: withDefault(z.enum(['open', 'deny']), 'open', {
    says: 'What a gateway that is cut off from the others of its lot does at an exit, when it knows no session of the plate.',
  }),
  autonomy_days: withDefault(wholeValue(7, 366), 31, {
    says: 'For how many days the gateways of the lot can open products without a connection to the service.',
  }),
  /** When its gateways may exchange their software, such as `02:00-05:00` in its time zone; null: at any time. */
  update_hours: withDefault(updateHoursValue, null),
  released_at: shown(TIME_OR_NULL, {
    says: 'Since when everything in the lot is held open in an emergency; null while it is not.',
  }),
  released_by: shown(z.string().nullable(), {
    says: 'The name of who opened everything: a user, an API token, or the gateway at which it was done; null while it is not held open.',
  }),
  /** When a person last ordered a release at the cloud, or its end. */
  release_changed_at: inner('bigint null'),
  /** When the order that counts was taken, wherever it was given. */
  release_ordered_at: inner('bigint null'),
  ...TIMES,
};

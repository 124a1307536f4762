/** What is known of a zone. */
import { z } from 'zod';
import {
  accountField,
  computed,
  datetime,
  identity,
  inRest,
  nameValue,
  neverDeleted,
  referencesTo,
  referenceTo,
  required,
  shownAs,
  textValue,
  TIMES,
  wholeValue,
  withDefault,
} from '../../rest/entry.js';

const countsSchema = z.strictObject({
  sensors: z
    .number()
    .int()
    .nullable()
    .describe('The places whose sensors say that they are occupied; null when no place of the zone has a sensor.'),
  sessions: z.number().int().describe('The open sessions that count as vehicles, as the last recount corrected them.'),
  drift_since: datetime
    .nullable()
    .describe(
      'Since when the two counts have differed by more than a tenth of the places, once it has been an hour; null when they do not.',
    ),
});

export const ZONE_FIELDS = {
  id: identity,
  account_id: accountField({ filter: true }),
  lot: inRest(referenceTo('lots', { id: 'lot_id', filter: true })),
  name: required(nameValue, { filter: true, sort: true }),
  description: withDefault(textValue, '', { form: shownAs(z.string().nullable()) }),
  spot_count: withDefault(wholeValue(0, 1_000_000), 0),
  occupied_count: computed(z.number().int(), { says: 'How many vehicles are in the zone.' }),
  counts: computed(countsSchema, { says: 'How many vehicles there are, as sensors and as sessions say.' }),
  /** The first one sets the prices. */
  tariffs: referencesTo('tariffs', {
    id: 'tariff_ids',
    pairs: { table: 'zone_tariffs', from: 'zone_id', to: 'tariff_id', isOrdered: true },
  }),
  occupancy_max_hours: withDefault(wholeValue(1, 87_600), 72, {
    says: 'The hours after which an open session no longer counts as a vehicle in the zone.',
  }),
  deleted_at: neverDeleted,
  ...TIMES,
};

/** What is known of a licence plate alert, its plates and its receivers. */
import { z } from 'zod';
import {
  emailValue,
  id,
  identity,
  inner,
  inRest,
  LIST_MAX,
  namedReferenceTo,
  nameValue,
  plateColumns,
  platesValue,
  plateValue,
  repeated,
  required,
  shownAs,
  TIMES,
  wholeValue,
  withDefault,
} from '../../rest/entry.js';

/** A year. */
export const MINUTES_BETWEEN_MAILS_MAX = 525_600;

export const ALERT_PLATE_FIELDS = {
  id: identity,
  license_plate_alert_id: inner({ partOf: 'license_plate_alerts' }),
  plate: required(plateValue, {
    columns: plateColumns('plate'),
  }),
  ...TIMES,
};

export const ALERT_RECEIVER_FIELDS = {
  id: identity,
  license_plate_alert_id: inner({ partOf: 'license_plate_alerts' }),
  name: required(nameValue),
  receiver_email: required(emailValue),
  ...TIMES,
};

const receiverValue = z.strictObject({ name: nameValue, receiver_email: emailValue });

/** Plates and receivers have their own tables. A REST body replaces the whole list; in a site file the items are resources of their own. */
export const ALERT_FIELDS = {
  id: identity,
  account_id: inner({ partOf: 'accounts' }),
  name: required(nameValue, { filter: true, sort: true }),
  ...TIMES,
  plates: inRest(withDefault(platesValue(LIST_MAX), [], { columns: {}, says: 'The licence plates.' })),
  min_minutes_between_emails: withDefault(wholeValue(0, MINUTES_BETWEEN_MAILS_MAX), 30, {
    says: 'The least minutes between two emails about the same plate.',
  }),
  /** null: all zones of the account. */
  zone: namedReferenceTo('zones', {
    id: 'zone_id',
    default: null,
    filter: true,
    says: 'The zone whose cameras count; null for those of all zones.',
  }),
  receivers: inRest(
    withDefault(
      z
        .array(receiverValue)
        .max(LIST_MAX)
        .superRefine((given, context) => {
          for (const at of repeated(given.map(({ receiver_email }) => receiver_email))) {
            context.addIssue({
              code: 'custom',
              path: [at, 'receiver_email'],
              message: 'is the same as an earlier one',
            });
          }
        }),
      [],
      {
        columns: {},
        form: shownAs(z.array(z.strictObject({ id, name: z.string(), receiver_email: z.string() }))),
        says: 'Those who are notified.',
      },
    ),
  ),
};

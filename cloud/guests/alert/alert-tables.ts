import type { Tables, TablesOf } from '../../kernel/store/entry.js';
import type { TableOf } from '../../rest/entry.js';
import type { ALERT_FIELDS, ALERT_PLATE_FIELDS, ALERT_RECEIVER_FIELDS } from './alert-fields.js';

declare module '../../kernel/store/schema.js' {
  interface Database extends Pick<TablesOf<typeof ALERT_BASELINE>, 'alert_mails'> {
    license_plate_alerts: TableOf<typeof ALERT_FIELDS>;
    alert_plates: TableOf<typeof ALERT_PLATE_FIELDS>;
    alert_receivers: TableOf<typeof ALERT_RECEIVER_FIELDS>;
  }
}

export const ALERT_BASELINE = {
  license_plate_alerts: {
    columns: {
      id: 'id',
      account_id: { partOf: 'accounts' },
      // An alert must not widen to all zones because its zone was removed.
      zone_id: { partOf: 'zones', isNullable: true },
      name: 'text',
      min_minutes_between_emails: 'integer',
      created_at: 'bigint',
      updated_at: 'bigint',
    },
    indices: [['account_id'], ['zone_id']],
  },
  alert_plates: {
    columns: {
      id: 'id',
      license_plate_alert_id: { partOf: 'license_plate_alerts' },
      plate: 'text',
      plate_normalised: 'text',
      created_at: 'bigint',
      updated_at: 'bigint',
    },
    indices: [{ columns: ['license_plate_alert_id', 'plate_normalised'], isUnique: true }, ['plate_normalised']],
  },
  alert_receivers: {
    columns: {
      id: 'id',
      license_plate_alert_id: { partOf: 'license_plate_alerts' },
      name: 'text',
      receiver_email: 'text',
      created_at: 'bigint',
      updated_at: 'bigint',
    },
    indices: [{ columns: ['license_plate_alert_id', 'receiver_email'], isUnique: true }],
  },
  /** The last mail about a plate to a receiver, whichever alert caused it. A row is kept while an alert needs it, and for at most a year. */
  alert_mails: {
    columns: {
      id: 'id',
      account_id: { partOf: 'accounts' },
      plate_normalised: 'text',
      /** Lower case. */
      receiver_email: 'text',
      // The receiver is reminded of a plate, not of a reading: the id refers to nothing.
      plate_reading_id: 'integer',
      mailed_at: 'bigint',
    },
    indices: [{ columns: ['account_id', 'plate_normalised', 'receiver_email'], isUnique: true }],
  },
} satisfies Tables;

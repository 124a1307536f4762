import type { Generated } from 'kysely';
import type { Tables, Timestamps } from '../../kernel/store/entry.js';

interface LicensePlateAlertsTable extends Timestamps {
  id: Generated<number>;
  account_id: number;
  /** null: all zones of the account. */
  zone_id: number | null;
  name: string;
  min_minutes_between_emails: number;
}

interface AlertPlatesTable extends Timestamps {
  id: Generated<number>;
  license_plate_alert_id: number;
  plate: string;
  plate_normalised: string;
}

interface AlertReceiversTable extends Timestamps {
  id: Generated<number>;
  license_plate_alert_id: number;
  name: string;
  receiver_email: string;
}

/** The last mail about a plate to a receiver, whichever alert caused it. A row is kept while an alert needs it, and for at most a year. */
interface AlertMailsTable {
  id: Generated<number>;
  account_id: number;
  plate_normalised: string;
  /** Lower case. */
  receiver_email: string;
  /** The reading that the mail was about. */
  plate_reading_id: number;
  mailed_at: number;
}

declare module '../../kernel/store/schema.js' {
  interface Database {
    license_plate_alerts: LicensePlateAlertsTable;
    alert_plates: AlertPlatesTable;
    alert_receivers: AlertReceiversTable;
    alert_mails: AlertMailsTable;
  }
}

export const ALERT_BASELINE: Tables = {
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
  alert_mails: {
    columns: {
      id: 'id',
      account_id: { partOf: 'accounts' },
      plate_normalised: 'text',
      receiver_email: 'text',
      // The receiver is reminded of a plate, not of a reading: the id refers to nothing.
      plate_reading_id: 'integer',
      mailed_at: 'bigint',
    },
    indices: [{ columns: ['account_id', 'plate_normalised', 'receiver_email'], isUnique: true }],
  },
};

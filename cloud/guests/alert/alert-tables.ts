import type { Generated } from 'kysely';
import type { Timestamps } from '../../kernel/entry.js';

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

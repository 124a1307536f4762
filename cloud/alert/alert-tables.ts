import type { Generated } from 'kysely';
import type { Timestamps } from '../store/schema.js';

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

declare module '../store/schema.js' {
  interface Database {
    license_plate_alerts: LicensePlateAlertsTable;
    alert_plates: AlertPlatesTable;
    alert_receivers: AlertReceiversTable;
  }
}

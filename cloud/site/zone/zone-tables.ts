import type { Generated } from 'kysely';
import type { DeletedThing, Timestamps } from '../../kernel/entry.js';

interface ZonesTable extends Timestamps {
  id: Generated<number>;
  account_id: number;
  lot_id: number;
  name: string;
  description: string;
  spot_count: number;
  occupancy_max_hours: number;
}

interface DeletedZonesTable extends DeletedThing {
  /** The first of the deleted zone's tariffs, which priced its sessions. */
  tariff_id: number | null;
}

/** Recounts: a person counted the vehicles of a zone, or its free places. The last recount of a zone corrects the count of its sessions. */
interface ZoneRecountsTable {
  id: Generated<number>;
  zone_id: number;
  occupied_count: number;
  /** Sessions that began until this time do not count, because their vehicles were not there. */
  uncounted_until: number;
  /** The number of vehicles without a session. They count for as long as a session would. */
  extra_count: number;
  counted_at: number;
}

/** Zones whose sensors and sessions give different counts. */
interface ZoneDriftsTable {
  zone_id: number;
  differs_since: number;
}

declare module '../../kernel/store/schema.js' {
  interface Database {
    zones: ZonesTable;
    deleted_zones: DeletedZonesTable;
    zone_recounts: ZoneRecountsTable;
    zone_drifts: ZoneDriftsTable;
  }
}

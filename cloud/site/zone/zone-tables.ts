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
  /** The first of its tariffs, which priced its sessions. */
  tariff_id: number | null;
}

/** A person counted the vehicles of a zone, or its free places: its sessions' count follows from the last one. */
interface ZoneRecountsTable {
  id: Generated<number>;
  zone_id: number;
  occupied_count: number;
  /** Sessions that began until then are of vehicles that are not there. */
  uncounted_until: number;
  /** Vehicles that have no session. They count as long as a session would. */
  extra_count: number;
  counted_at: number;
}

/** Zones whose sensors and sessions disagree. */
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

import type { Generated } from 'kysely';
import type { DeletedThing, Timestamps } from '../store/schema.js';

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

declare module '../store/schema.js' {
  interface Database {
    zones: ZonesTable;
    deleted_zones: DeletedZonesTable;
  }
}

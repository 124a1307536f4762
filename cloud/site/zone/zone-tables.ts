import type { Generated } from 'kysely';
import type { DeletedThing, Tables, Timestamps } from '../../kernel/store/entry.js';

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

export const ZONE_BASELINE: Tables = {
  zones: {
    columns: {
      id: 'id',
      account_id: { partOf: 'accounts' },
      lot_id: { partOf: 'lots' },
      name: 'text',
      description: 'text',
      spot_count: 'integer',
      occupancy_max_hours: 'integer',
      created_at: 'bigint',
      updated_at: 'bigint',
    },
    indices: [['account_id'], ['lot_id']],
  },
  // What late records need of a zone that was deleted. The row outlives its lot, too, so that it refers to nothing.
  deleted_zones: {
    columns: {
      id: 'integer',
      account_id: 'integer',
      lot_id: 'integer',
      name: 'text',
      deleted_at: 'bigint',
      tariff_id: 'integer null',
      created_at: 'bigint',
      updated_at: 'bigint',
    },
    primaryKey: ['id'],
  },
  zone_recounts: {
    columns: {
      id: 'id',
      zone_id: { partOf: 'zones' },
      occupied_count: 'integer',
      uncounted_until: 'bigint',
      extra_count: 'integer',
      counted_at: 'bigint',
    },
    indices: [['zone_id', 'id']],
  },
  zone_drifts: {
    columns: {
      zone_id: { partOf: 'zones' },
      differs_since: 'bigint',
    },
    primaryKey: ['zone_id'],
  },
};

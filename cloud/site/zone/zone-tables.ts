import type { Tables, TablesOf } from '../../kernel/store/entry.js';
import type { TableOf } from '../../rest/entry.js';
import type { ZONE_FIELDS } from './zone-fields.js';

declare module '../../kernel/store/schema.js' {
  interface Database extends Omit<TablesOf<typeof ZONE_BASELINE>, 'zones'> {
    zones: TableOf<typeof ZONE_FIELDS>;
  }
}

export const ZONE_BASELINE = {
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
      /** The first of the deleted zone's tariffs, which priced its sessions. */
      tariff_id: 'integer null',
      created_at: 'bigint',
      updated_at: 'bigint',
    },
    primaryKey: ['id'],
  },
  /** Recounts: a person counted the vehicles of a zone, or its free places. The last recount of a zone corrects the count of its sessions. */
  zone_recounts: {
    columns: {
      id: 'id',
      zone_id: { partOf: 'zones' },
      occupied_count: 'integer',
      /** Sessions that began until this time do not count, because their vehicles were not there. */
      uncounted_until: 'bigint',
      /** The number of vehicles without a session. They count for as long as a session would. */
      extra_count: 'integer',
      counted_at: 'bigint',
    },
    indices: [['zone_id', 'id']],
  },
  /** Zones whose sensors and sessions give different counts. */
  zone_drifts: {
    columns: {
      zone_id: { partOf: 'zones' },
      differs_since: 'bigint',
    },
    primaryKey: ['zone_id'],
  },
} satisfies Tables;

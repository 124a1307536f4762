import type { Tables } from '../../kernel/store/entry.js';

/** The kind of the counted thing. */
export type OccupancyOwner = 'zone' | 'place';

/**
 * The changes in a zone or a place in a quarter of an hour. It is kept as differences from the count at the beginning of the quarter, so
 * that a change that comes late touches no other quarter. A quarter without a row had no change.
 */
interface OccupancyQuartersTable {
  owner: OccupancyOwner;
  owner_id: number;
  /** When it begins, in wall milliseconds. */
  quarter: number;
  /** How many more were occupied at its end, at least and at most. */
  delta: number;
  min_delta: number;
  max_delta: number;
  /** The sum over its milliseconds of how many more were occupied. */
  area_delta: number;
  /** The newest of its changes. */
  last_at: number;
}

/** The occupancy of a zone or a place after all of its changes: less what changed since a time, it is how full it was then. */
interface OccupancyCountsTable {
  owner: OccupancyOwner;
  owner_id: number;
  last_count: number;
  /** The newest of its changes. */
  last_at: number;
}

declare module '../../kernel/store/schema.js' {
  interface Database {
    occupancy_quarters: OccupancyQuartersTable;
    occupancy_counts: OccupancyCountsTable;
  }
}

export const OCCUPANCY_BASELINE: Tables = {
  occupancy_quarters: {
    columns: {
      owner: 'text',
      owner_id: 'integer',
      quarter: 'bigint',
      delta: 'integer',
      min_delta: 'integer',
      max_delta: 'integer',
      area_delta: 'bigint',
      last_at: 'bigint',
    },
    primaryKey: ['owner', 'owner_id', 'quarter'],
    indices: [['quarter']],
  },
  occupancy_counts: {
    columns: {
      owner: 'text',
      owner_id: 'integer',
      last_count: 'integer',
      last_at: 'bigint',
    },
    primaryKey: ['owner', 'owner_id'],
  },
};

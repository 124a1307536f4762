import type { Tables, TablesOf, Text } from '../../kernel/store/entry.js';

/** The kind of the counted thing. */
export type OccupancyOwner = 'zone' | 'place';

declare module '../../kernel/store/schema.js' {
  interface Database extends TablesOf<typeof OCCUPANCY_BASELINE> {}
}

export const OCCUPANCY_BASELINE = {
  /**
   * The changes in a zone or a place in a quarter of an hour. It is kept as differences from the count at the beginning of the quarter, so
   * that a change that comes late touches no other quarter. A quarter without a row had no change.
   */
  occupancy_quarters: {
    columns: {
      owner: 'text' as Text<OccupancyOwner>,
      owner_id: 'integer',
      /** When it begins, in wall milliseconds. */
      quarter: 'bigint',
      /** How many more were occupied at its end, at least and at most. */
      delta: 'integer',
      min_delta: 'integer',
      max_delta: 'integer',
      /** The sum over its milliseconds of how many more were occupied. */
      area_delta: 'bigint',
      /** The newest of its changes. */
      last_at: 'bigint',
    },
    primaryKey: ['owner', 'owner_id', 'quarter'],
    indices: [['quarter']],
  },
  /** The occupancy of a zone or a place after all of its changes: less what changed since a time, it is how full it was then. */
  occupancy_counts: {
    columns: {
      owner: 'text' as Text<OccupancyOwner>,
      owner_id: 'integer',
      last_count: 'integer',
      /** The newest of its changes. */
      last_at: 'bigint',
    },
    primaryKey: ['owner', 'owner_id'],
  },
} satisfies Tables;

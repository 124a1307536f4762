/** What is counted. */
export type OccupancyOwner = 'zone' | 'place';

/** How full a zone or a place was in a quarter of an hour. A quarter without a row had no change, and is like the end of the one before. */
interface OccupancyQuartersTable {
  owner: OccupancyOwner;
  owner_id: number;
  /** When it begins, in wall milliseconds. */
  quarter: number;
  /** How many were occupied at its beginning and at its end. */
  first_count: number;
  last_count: number;
  min_count: number;
  max_count: number;
  /** The sum over its milliseconds of how many were occupied. */
  area: number;
  /** The newest of its changes. */
  last_at: number;
}

declare module '../../kernel/store/schema.js' {
  interface Database {
    occupancy_quarters: OccupancyQuartersTable;
  }
}

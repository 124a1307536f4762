/** Reads openings, each with the plate of its reading. */
import type { Db } from '../../kernel/store/entry.js';
import type { AnyQuery } from '../../rest/entry.js';
import type { ShownOpening } from './opening-payload.js';

export const openingsByIds = (db: Db, ids: readonly number[]): Promise<ShownOpening[]> =>
  withPlates(db.selectFrom('openings').where('openings.id', 'in', ids) as unknown as AnyQuery);

/** @param openings a query that selects nothing yet */
export const withPlates = (openings: AnyQuery): Promise<ShownOpening[]> =>
  openings
    .leftJoin('plate_readings as reading', 'reading.id', 'openings.plate_reading_id')
    .selectAll('openings')
    .select('reading.plate')
    .execute();

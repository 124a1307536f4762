/** Indices of an account's rows, for lists and sums that went through all rows of a lot. */
import type { Schema } from './create-table.js';

export async function up(db: Schema): Promise<void> {
  for (const [table, ...columns] of INDICES) {
    await db.schema
      .createIndex(`${table}_${columns.join('_')}`)
      .on(table)
      .columns(columns)
      .execute();
  }
}

/** The account comes first, as in the other indices of lists; equal values are ordered by id. */
const INDICES: readonly [table: string, ...columns: string[]][] = [
  ['plate_readings', 'account_id', 'plate_normalised'],
  ['plate_readings', 'account_id', 'created_at'],
  ['lot_entries', 'account_id', 'id'],
  ['lot_entries', 'account_id', 'created_at'],
  ['sightings', 'account_id', 'id'],
  ['sightings', 'account_id', 'created_at'],
  ['webhook_deliveries', 'webhook_id', 'id'],
];

/** Indices by which the newest dead letters and notes of lost records of a gateway are found. */
import type { Schema } from './create-table.js';

export async function up(db: Schema): Promise<void> {
  for (const table of ['dead_letters', 'lost_records']) {
    await db.schema.createIndex(`${table}_gateway_id_id`).on(table).columns(['gateway_id', 'id']).execute();
    await db.schema.dropIndex(`${table}_gateway_id`).execute();
  }
}

/**
 * What stood beside a read at a car park is found by its lot, its plate and its time, however often any car park saw the plate. The id
 * orders equal times.
 */
import { sql } from 'kysely';
import type { Schema } from './create-table.js';

export async function up(db: Schema): Promise<void> {
  for (const table of ['sessions', 'plate_readings']) {
    await db.schema
      .createIndex(`${table}_lot_id_plate_normalised_created_at`)
      .on(table)
      .columns(['lot_id', 'plate_normalised', 'created_at', 'id'])
      .execute();
    await db.schema.dropIndex(`${table}_plate_normalised_created_at`).execute();
  }
  // Exits whose session is not known: few beside all other reads of a plate.
  await db.schema
    .createIndex('plate_readings_left')
    .on('plate_readings')
    .columns(['lot_id', 'plate_normalised', 'created_at', 'id'])
    .where(sql.ref('session_id'), 'is', null)
    .where(sql.ref('direction'), '=', sql.lit('out'))
    .execute();
  await db.schema
    .createIndex('members_account_id_plate_normalised')
    .on('members')
    .columns(['account_id', 'plate_normalised'])
    .execute();
  // Beside the index without a time, by which the newest come in the order of their ids.
  await db.schema
    .createIndex('plate_readings_account_id_plate_normalised_created_at')
    .on('plate_readings')
    .columns(['account_id', 'plate_normalised', 'created_at', 'id'])
    .execute();
}

/** Since when something is known of a place, and since when its sensor is silent. */
import { sql } from 'kysely';
import type { Schema } from './create-table.js';

export async function up(db: Schema): Promise<void> {
  const table = () => db.schema.alterTable('parking_places');
  await table().addColumn('first_heard_at', 'bigint').execute();
  await table().addColumn('stale_since', 'bigint').execute();
  // Until now nobody noted that a place was free from the beginning: its parking gateway was heard.
  await sql`
    update parking_places set first_heard_at = coalesce(changed_at, updated_at)
    where changed_at is not null or occupancy_status = 'occupied'
      or parking_gateway_id in (select id from parking_gateways where last_seen is not null)
  `.execute(db);
}

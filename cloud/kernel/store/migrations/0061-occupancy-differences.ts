/**
 * A quarter of an hour keeps how its counts differ from that at its beginning, and each zone and place keeps how full it is after all
 * changes: a change that comes late touches no later quarter.
 */
import { sql } from 'kysely';
import { create, INTEGER, type Schema, TEXT, TIME } from './create-table.js';

const DIFFERENCES = [
  ['last_count', 'delta'],
  ['min_count', 'min_delta'],
  ['max_count', 'max_delta'],
  ['area', 'area_delta'],
] as const;

export async function up(db: Schema): Promise<void> {
  await create(db, 'occupancy_counts', {
    columns: { owner: TEXT, owner_id: INTEGER, last_count: INTEGER, last_at: TIME },
    primaryKey: ['owner', 'owner_id'],
  });
  // A quarter began as the one before it ended, so the newest one says how full it is after all of them.
  await sql`
    insert into occupancy_counts (owner, owner_id, last_count, last_at)
    select owner, owner_id, last_count, last_at from occupancy_quarters as newest
    where quarter = (
      select max(other.quarter) from occupancy_quarters as other
      where other.owner = newest.owner and other.owner_id = newest.owner_id
    )`.execute(db);
  await sql`
    update occupancy_quarters set
      last_count = last_count - first_count, min_count = min_count - first_count, max_count = max_count - first_count,
      area = area - cast(first_count as bigint) * 900000`.execute(db);
  for (const [before, after] of DIFFERENCES) {
    await db.schema.alterTable('occupancy_quarters').renameColumn(before, after).execute();
  }
  await db.schema.alterTable('occupancy_quarters').dropColumn('first_count').execute();
}

/** Auto-close as it is set, beside what a permanent position leaves of it; open attempts of commands are found at the start. */
import { sql } from 'kysely';
import type { Schema } from './create-table.js';

export async function up(db: Schema): Promise<void> {
  await db.schema.alterTable('product_blocks').addColumn('autoclose_setting', 'integer').execute();
  await db.schema
    .createIndex('command_attempts_gateway_id')
    .on('command_attempts')
    .columns(['gateway_id'])
    .where(sql.ref('ended_at'), 'is', null)
    .execute();
}

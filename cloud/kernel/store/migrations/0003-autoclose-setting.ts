/** The auto-close setting, which a permanent position hides in `is_autoclose`; and an index for attempts that run at the start. */
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

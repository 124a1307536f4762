/** How the text of a display is sent, and what it last showed. */
import type { Schema } from './create-table.js';

export async function up(db: Schema): Promise<void> {
  const table = () => db.schema.alterTable('rgb_displays');
  await table()
    .addColumn('template', 'text', (column) => column.notNull().defaultTo(''))
    .execute();
  await table().addColumn('shown_text', 'text').execute();
  await table().addColumn('shown_at', 'bigint').execute();
  await table().addColumn('shown_is_stale', 'integer').execute();
}

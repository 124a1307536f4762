/** Where the things of a lot stand in its plan. */
import { create, partOf, type Schema, TEXT, TIMESTAMPS } from './create-table.js';

export async function up(db: Schema): Promise<void> {
  await create(db, 'lot_plans', {
    columns: { lot_id: partOf('lots'), items: TEXT, ...TIMESTAMPS },
    primaryKey: ['lot_id'],
  });
}

/** Which server key the database belongs to: a cloud with another one could open none of its secrets, and would add some that no other opens. */
import { create, INTEGER, type Schema, TEXT, TIME } from './create-table.js';

export async function up(db: Schema): Promise<void> {
  await create(db, 'server_keys', {
    columns: { id: INTEGER, check_value: TEXT, created_at: TIME },
    primaryKey: ['id'],
  });
}

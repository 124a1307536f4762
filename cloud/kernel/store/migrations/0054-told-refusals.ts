/** Which networks the audit log knows of sign-ins that failed, and how often messages of gateways were held. */
import { BIG, create, partOf, type Schema, TIME } from './create-table.js';

export async function up(db: Schema): Promise<void> {
  await db.schema
    .alterTable('sign_in_failures')
    .addColumn('audited_networks', 'text', (column) => column.notNull().defaultTo('[]'))
    .execute();
  await create(db, 'gateway_holds', {
    columns: { gateway_id: partOf('gateways'), held_count: BIG, held_at: TIME },
    primaryKey: ['gateway_id'],
    indices: [['held_at']],
  });
}

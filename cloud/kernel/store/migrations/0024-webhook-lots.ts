/** Whose webhook it is, and of which lots it hears. Webhooks that are there hear of their whole account, as before. */
import { create, INTEGER, partOf, type Schema } from './create-table.js';

export async function up(db: Schema): Promise<void> {
  const webhooks = () => db.schema.alterTable('webhooks');
  await webhooks()
    .addColumn('has_own_lots', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
  await webhooks()
    .addColumn('account_user_id', 'integer', (column) => column.references('account_users.id').onDelete('set null'))
    .execute();
  // A lot's events may still be on their way when the lot is deleted: the id refers to nothing.
  await create(db, 'webhook_lots', {
    columns: { webhook_id: partOf('webhooks'), lot_id: INTEGER },
    primaryKey: ['webhook_id', 'lot_id'],
    indices: [['lot_id']],
  });
}

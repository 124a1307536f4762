/** What gateways found when they last looked at themselves, and when they were last asked to. */
import { create, OPTIONAL_TEXT, OPTIONAL_TIME, partOf, type Schema } from './create-table.js';

export async function up(db: Schema): Promise<void> {
  await create(db, 'gateway_doctors', {
    columns: {
      gateway_id: partOf('gateways'),
      asked_at: OPTIONAL_TIME,
      reported_at: OPTIONAL_TIME,
      report: OPTIONAL_TEXT,
    },
    primaryKey: ['gateway_id'],
  });
}

/** Messages of gateways that could not be handled. */
import { create, partOf, type Schema, TEXT, TIME } from './create-table.js';

export async function up(db: Schema): Promise<void> {
  await create(db, 'gateway_unhandled', {
    columns: { gateway_id: partOf('gateways'), channel: TEXT, reason: TEXT, unhandled_at: TIME },
    primaryKey: ['gateway_id', 'channel'],
  });
}

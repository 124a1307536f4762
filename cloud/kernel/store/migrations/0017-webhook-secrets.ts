/** Secrets that webhooks had before, which sign for a while beside the new one. */
import { create, ID, partOf, type Schema, TEXT, TIME } from './create-table.js';

export async function up(db: Schema): Promise<void> {
  await create(db, 'former_webhook_secrets', {
    columns: { id: ID, webhook_id: partOf('webhooks'), secret_sealed: TEXT, valid_until: TIME },
    indices: [['webhook_id'], ['valid_until']],
  });
}

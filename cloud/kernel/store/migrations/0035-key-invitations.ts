/** The mail by which a key was sent last. */
import type { Schema } from './create-table.js';

export async function up(db: Schema): Promise<void> {
  // A mail is forgotten before its key: the id refers to nothing.
  await db.schema.alterTable('key_logs').addColumn('invitation_mail_id', 'integer').execute();
}

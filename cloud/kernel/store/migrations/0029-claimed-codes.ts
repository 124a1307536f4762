/** What a claimed gateway's broker password is made of is kept whole: an external broker is told the password again and again. */
import type { Kysely } from 'kysely';
import type { Schema } from './create-table.js';

interface Before {
  gateways: { claimed_at: number | null; claim_code_hash: string | null; claimed_code_hash: string | null };
}

export async function up(db: Schema): Promise<void> {
  await db.schema.alterTable('gateways').addColumn('claimed_code_hash', 'text').execute();
  // Of a gateway that was given another code since its claim, the first one is gone: it has to be claimed anew for an external broker.
  await (db as Kysely<Before>)
    .updateTable('gateways')
    .set(({ ref }) => ({ claimed_code_hash: ref('claim_code_hash') }))
    .where('claimed_at', 'is not', null)
    .execute();
}

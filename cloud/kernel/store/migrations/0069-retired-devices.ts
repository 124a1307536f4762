/**
 * Devices that are a gateway no more, so that each can be told, and erases itself; and since when a gateway has its present device, whose
 * records from before a claim of the same device count.
 */
import type { Kysely } from 'kysely';
import {
  create,
  ID,
  INTEGER,
  OPTIONAL_BIG,
  OPTIONAL_INTEGER,
  OPTIONAL_TIME,
  type Schema,
  TEXT,
  TIME,
} from './create-table.js';

interface Before {
  gateways: { claimed_at: number | null; device_since: number | null };
}

export async function up(db: Schema): Promise<void> {
  await db.schema.alterTable('gateways').addColumn('device_since', 'bigint').execute();
  await (db as Kysely<Before>)
    .updateTable('gateways')
    .set(({ ref }) => ({ device_since: ref('claimed_at') }))
    .execute();
  await create(db, 'retired_devices', {
    columns: {
      id: ID,
      account_id: INTEGER,
      gateway_id: INTEGER,
      lot_id: OPTIONAL_INTEGER,
      uuid: TEXT,
      public_key: TEXT,
      why: TEXT,
      retired_at: TIME,
      told_at: OPTIONAL_TIME,
      waiting: OPTIONAL_BIG,
    },
    indices: [['public_key'], ['account_id']],
  });
}

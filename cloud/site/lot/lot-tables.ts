import { type Kysely, sql } from 'kysely';
import type { Tables, TablesOf } from '../../kernel/store/entry.js';
import type { TableOf } from '../../rest/entry.js';
import type { LOT_FIELDS } from './lot-fields.js';

declare module '../../kernel/store/schema.js' {
  interface Database extends Omit<TablesOf<typeof LOT_BASELINE>, 'lots'> {
    lots: TableOf<typeof LOT_FIELDS>;
  }
}

export const LOT_BASELINE = {
  lots: {
    columns: {
      id: 'id',
      account_id: { partOf: 'accounts' },
      name: 'text',
      address: 'text',
      timezone: 'text',
      latitude: 'double precision null',
      longitude: 'double precision null',
      offline_exit: 'text',
      autonomy_days: 'integer',
      released_at: 'bigint null',
      released_by: 'text null',
      release_changed_at: 'bigint null',
      update_hours: 'text null',
      created_at: 'bigint',
      updated_at: 'bigint',
    },
    indices: [['account_id']],
  },
  /** The part of a deleted lot that its history needs. */
  deleted_lots: {
    columns: {
      id: 'integer',
      account_id: 'integer',
      name: 'text',
      timezone: 'text',
      deleted_at: 'bigint',
      created_at: 'bigint',
      updated_at: 'bigint',
    },
    primaryKey: ['id'],
    indices: [['account_id']],
  },
} satisfies Tables;

/** Adds when the order about a lot's release was taken; of a release that holds already, that is when it began. */
export async function addReleaseOrdered(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('lots').addColumn('release_ordered_at', 'bigint').execute();
  await sql`update lots set release_ordered_at = released_at`.execute(db);
}

import { type Generated, type Kysely, sql } from 'kysely';
import type { Tables, Timestamps } from '../../kernel/store/entry.js';

interface LotsTable extends Timestamps {
  id: Generated<number>;
  account_id: number;
  name: string;
  address: string;
  timezone: string;
  latitude: number | null;
  longitude: number | null;
  offline_exit: 'open' | 'deny';
  autonomy_days: number;
  /** When its gateways may exchange their software, such as `02:00-05:00` in its time zone; null: at any time. */
  update_hours: Generated<string | null>;
  /** Since when the lot is held open in an emergency; null: it is not. */
  released_at: Generated<number | null>;
  /** The name of who released it. */
  released_by: Generated<string | null>;
  /** When a person last ordered a release at the cloud, or its end. */
  release_changed_at: Generated<number | null>;
  /** When the order that counts was taken, wherever it was given. */
  release_ordered_at: Generated<number | null>;
}

/** The part of a deleted lot that its history needs. */
interface DeletedLotsTable extends Timestamps {
  id: number;
  account_id: number;
  name: string;
  timezone: string;
  deleted_at: number;
}

declare module '../../kernel/store/schema.js' {
  interface Database {
    lots: LotsTable;
    deleted_lots: DeletedLotsTable;
  }
}

export const LOT_BASELINE: Tables = {
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
};

/** Adds when the order about a lot's release was taken; of a release that holds already, that is when it began. */
export async function addReleaseOrdered(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('lots').addColumn('release_ordered_at', 'bigint').execute();
  await sql`update lots set release_ordered_at = released_at`.execute(db);
}

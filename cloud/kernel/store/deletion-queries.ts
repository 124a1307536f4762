/** Deletes rows, and what it takes to keep them in a table of deleted things before. */
import { type Expression, sql } from 'kysely';
import type { Db } from './cloud-store.js';
import type { Database } from './schema.js';

/** The rows of a table that are being deleted. */
export interface GoneRows {
  ids: Expression<number>;
  /** Wall milliseconds. */
  now: number;
}

/** The columns that every table of deleted things has, in this order. */
export const KEPT_OF_ALL = ['id', 'account_id', 'lot_id', 'name', 'deleted_at', 'created_at', 'updated_at'] as const;

export const deletedAt = (now: number) => sql<number>`cast(${now} as bigint)`.as('deleted_at');

/** @returns whether the row was still there */
export async function deleteRow(tx: Db, table: keyof Database, id: number): Promise<boolean> {
  // The type of `events` serves for every table here, because all of them have an id.
  const { numDeletedRows } = await tx
    .deleteFrom(table as 'events')
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  return numDeletedRows > 0;
}

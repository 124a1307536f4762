/**
 * The tables of the cloud as Kysely sees them. Times are wall milliseconds (INTEGER/BIGINT), flags 0 or 1, money the currency's
 * minor unit, sets and lists JSON text. What is secret is sealed (AES-256-GCM) or hashed (SHA-256; passwords argon2id).
 * Each subject declares its tables in its room's `*-tables.ts`, which adds them to `Database` (module augmentation), with the types of its
 * JSON and enumerated columns.
 */
import type { Insertable, Selectable } from 'kysely';

interface Timestamps {
  created_at: number;
  updated_at: number;
}

/** A thing that was deleted, as far as late records of a gateway that was offline need it. It refers to nothing. */
export interface DeletedThing extends Timestamps {
  id: number;
  account_id: number;
  lot_id: number;
  name: string;
  deleted_at: number;
}

export interface Database {}

/** A row as it is read. */
export type RowOf<Columns> = Selectable<Columns>;
export type Row<Table extends keyof Database> = RowOf<Database[Table]>;
export type NewRow<Table extends keyof Database> = Insertable<Database[Table]>;

/**
 * The tables of the cloud as Kysely sees them. Times are wall milliseconds (INTEGER/BIGINT), flags 0 or 1, money the currency's
 * minor unit, sets and lists JSON text. What is secret is sealed (AES-256-GCM) or hashed (SHA-256; passwords argon2id).
 * Each subject declares its tables in its room's `*-tables.ts`, which adds them to `Database` (module augmentation), with the types of its
 * JSON and enumerated columns. This file has the tables of the store itself.
 */
import type { Insertable, Selectable } from 'kysely';
import type { EventName, EventPayload } from '../../../shared/events/event-schemas.js';
import type { JsonColumn } from './json-column.js';

export interface Timestamps {
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

/** The newest id of each account's journal. A transaction with events advances it as its last statement but one. */
interface JournalHeadsTable {
  account_id: number;
  seq: number;
}

/** The journal: the pushed events in the order of the commits. */
interface EventsTable {
  account_id: number;
  /** The journal cursor: 1, 2, 3, ... in its account. */
  id: number;
  lot_id: number;
  event: EventName;
  /** Image links are written as `image:<uid>` and signed when they are sent. */
  payload: JsonColumn<EventPayload<EventName>>;
  created_at: number;
}

export interface Database {
  journal_heads: JournalHeadsTable;
  events: EventsTable;
}

export type Row<Table extends keyof Database> = Selectable<Database[Table]>;
export type NewRow<Table extends keyof Database> = Insertable<Database[Table]>;

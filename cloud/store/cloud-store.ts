/**
 * Port: the cloud's database. All SQL is in this folder: `queries/` holds one file per domain, functions that take a `Db`.
 * One writer; reads of lists and exports go to a second connection that never waits for it.
 */
import type { Kysely } from 'kysely';
import type { EventName, EventPayload } from '../../shared/events/event-schemas.js';
import type { Database } from './schema.js';

/** A connection or a transaction: what query functions take. */
export type Db = Kysely<Database>;

/** An event as the journal holds it. Image links are not signed yet. */
export interface JournalEvent {
  /** The cursor; null for an event that is pushed but not kept (an unchanged report). */
  id: number | null;
  account_id: number;
  lot_id: number;
  event: EventName;
  payload: EventPayload<EventName>;
  created_at: number;
}

/** Writes events into the journal, within the transaction of the change they tell of. They are pushed after the commit, in this order. */
export interface EventRecorder {
  record<Name extends EventName>(event: {
    account_id: number;
    /** null: the thing is in no lot, and nothing is sent. */
    lot_id: number | null;
    event: Name;
    payload: EventPayload<Name>;
    /** False: pushed, not kept. */
    journalled?: boolean;
  }): Promise<void>;
}

export interface CloudStore {
  /** For queries that change nothing. */
  readonly reader: Db;
  /** One transaction on the writer: nothing but SQL is awaited inside. Its events are pushed after the commit. Rolls back when `work` rejects. */
  change<T>(work: (tx: Db, events: EventRecorder) => Promise<T>): Promise<T>;
  /** Calls the listener after each commit that recorded events, in commit order. */
  onEvents(listener: (events: JournalEvent[]) => void): () => void;
  /** Brings the schema up to date; returns the names of the migrations that ran. */
  migrate(): Promise<string[]>;
  close(): Promise<void>;
}

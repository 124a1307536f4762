/**
 * Port: the cloud's database. All SQL is in this folder: `queries/` holds one file per domain, functions that take a `Db`.
 * One writer; reads have connections of their own that never wait for it: one for what is quick, one for what may take long.
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

/**
 * Writes events into the journal, within the transaction of the change they tell of (its last statement before the commit).
 * They are pushed after the commit, in this order. Throws on a payload that is not what the specification says.
 */
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

/**
 * Why the database did not do what it was asked. `unique`, `foreign_key`, `constraint`: the rows do not fit; `locked`: another
 * process holds the write lock for too long; `full`, `io`: the disk; `closed`: the store is closed or its worker died;
 * `query`: anything else, a mistake of ours.
 */
export type StoreErrorCode = 'unique' | 'foreign_key' | 'constraint' | 'locked' | 'full' | 'io' | 'closed' | 'query';

export class StoreError extends Error {
  readonly code: StoreErrorCode;

  constructor(code: StoreErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'StoreError';
    this.code = code;
  }
}

export interface CloudStore {
  /** For queries that change nothing. `reader.transaction()` reads several things as they were at one moment. */
  readonly reader: Db;
  /** The same for what may take long (lists, exports, sums): only they wait for each other. */
  readonly reports: Db;
  /**
   * One transaction on the writer: nothing but SQL is awaited inside, and no other `change`. Its events are pushed after the
   * commit, before the promise resolves. Rolls back, and pushes nothing, when `work` rejects. What is asked for in an audit scope
   * (`audit-scope.ts`) is told to the audit log by this transaction.
   */
  change<T>(work: (tx: Db, events: EventRecorder) => Promise<T>): Promise<T>;
  /** Calls the listener after each commit that recorded events, in commit order. */
  onEvents(listener: (events: JournalEvent[]) => void): () => void;
  /**
   * Calls the listener after each commit of this process that wrote one of the tables, before `change` resolves. Of rows that foreign
   * keys take along it is not told: the tables they hang on have to be named too.
   */
  onWritten(tables: readonly (keyof Database)[], listener: () => void): () => void;
  /** Calls the listener within about a second after another process changed the database (`apply` beside a running cloud). */
  onForeignChange(listener: () => void): () => void;
  /** Brings the schema up to date; returns the names of the migrations that ran. */
  migrate(): Promise<string[]>;
  /** Waits for the changes under way, then lets go of the database. Idempotent. */
  close(): Promise<void>;
}

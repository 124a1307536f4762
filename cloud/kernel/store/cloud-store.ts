/**
 * Port: the cloud's database. SQL is in functions of the rooms' `*-queries.ts`, which get a `Db`. Changes are transactions. Reads have
 * connections of their own, which never wait for changes: one for quick reads and one for long ones.
 */
import type { Kysely, Migration, Transaction } from 'kysely';
import type { EventName, EventPayload } from '../../../shared/events/event-schemas.js';
import type { WriteWatch } from '../../../shared/node/write-watch.js';
import type { Lock } from './locks.js';
import type { Peers } from './peers.js';
import type { Database } from './schema.js';
import type { ForeignChange } from './written-tables.js';

/** A connection or a transaction, with which query functions read and write. */
export type Db = Kysely<Database>;

/** A transaction of `CloudStore.change`, with what happens at its commit and after it. */
export type Tx = Transaction<Database> & ChangeHandle;

/** By name, in the order of their names. The first one makes all tables of an empty database. */
export type Migrations = Readonly<Record<string, Migration>>;

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

/** An event that a change journals. */
export interface NewEvent<Name extends EventName> {
  account_id: number;
  /** null: the thing is in no lot, and nothing is journalled. */
  lot_id: number | null;
  event: Name;
  payload: EventPayload<Name>;
  /** False: it is pushed but not kept (an unchanged report). */
  isKept?: boolean;
}

/** Derives a key from the server's key: always the same one for the same purpose. */
export type DeriveKey = (purpose: string) => Uint8Array;

/** A function that runs after a commit. A promise that it returns is awaited before `change` resolves, but holds up no other change. */
export type CommitEffect = () => void | Promise<void>;

/** The work of a change besides its statements. None of these functions may be called once the work is over. */
export interface ChangeHandle {
  /**
   * Writes the event into the journal, as the transaction's last statement; it is pushed after the commit, in the order of these
   * calls. Throws on a payload that is not what the specification says.
   */
  journal<Name extends EventName>(event: NewEvent<Name>): void;
  /**
   * Runs the effect after the transaction is committed, and never when it rolls back. An effect is what the change means outside the
   * database, and what this process remembers of it. Effects are called in the order of these calls, before the next change begins and
   * before the events are pushed, so that a connection that a change shuts out does not get the events of that change. An effect that
   * throws or rejects is logged; the others still run, and the caller of `change` does not notice.
   */
  onCommit(effect: CommitEffect): void;
  /** Waits until no other transaction holds one of the locks, and holds them until it ends (`locks.ts`). */
  lock(...locks: readonly Lock[]): Promise<void>;
  /** The key by which the audit log is chained. Throws for a store that was opened without the server's key. */
  auditKey(): Uint8Array;
}

/**
 * Why the database failed. `unique`, `foreign_key`, `constraint`: the rows break a constraint, or hold what no column holds; `locked`: another process holds the write
 * lock for too long; `conflict`: another transaction stood in its way, and it is tried again; `full`: the disk; `read_only`: a standby, or
 * set so; `no_connection`: all that the server has are in use; `io`: the disk, or a server that cannot be reached or ends what it was
 * asked; `closed`: the store is closed or its worker died; `stopped`: a report that was refused or ended, because too many wait or it took
 * too long; `query`: anything else, which is a mistake in this program.
 */
export type StoreErrorCode =
  | 'unique'
  | 'foreign_key'
  | 'constraint'
  | 'locked'
  | 'conflict'
  | 'full'
  | 'read_only'
  | 'no_connection'
  | 'io'
  | 'closed'
  | 'stopped'
  | 'query';

export class StoreError extends Error {
  readonly code: StoreErrorCode;

  constructor(code: StoreErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'StoreError';
    this.code = code;
  }
}

/** A long read. */
export interface Report {
  account_id: number;
  /** `page`: of a list; `sum`: over many rows, or a piece of an export. Pages do not wait for sums. */
  kind: 'page' | 'sum';
  /** Aborted when nobody waits for it any more. */
  signal: AbortSignal;
}

/** `CloudStore.report` of one caller. */
export type RunReport = <T>(work: (db: Db) => Promise<T>) => Promise<T>;

/** Makes changes: `CloudStore.change`, or what a request is given, which adds to it what belongs to that request. */
export type Change = <T>(work: (tx: Tx) => Promise<T>) => Promise<T>;

export interface CloudStore {
  /** For queries that change nothing. `reader.transaction()` reads several things as they were at one moment. */
  readonly reader: Db;
  /**
   * Runs a long read on a connection of its own. The accounts take turns, and each has one of a kind under way at a time. `work` awaits
   * nothing but its statements, one after another.
   * @throws StoreError `stopped` when too many wait already; after 30 s, waiting included; when the signal is aborted
   */
  report<T>(report: Report, work: (db: Db) => Promise<T>): Promise<T>;
  /**
   * Runs one transaction that writes. `work` may await nothing but SQL, and no other `change`; where a database has several writers, it may
   * run again when another transaction stood in its way, so it says nothing to the outside. After the commit come the listeners of
   * written tables, the effects of `tx.onCommit` and the push of its events, in this order; then the promise resolves. When `work`
   * rejects, all is rolled back and none of this happens.
   * @param owner changes that wait take turns by share; left out: the share of what the service does by itself
   * @throws StoreError `query` when the work asks the database nothing for 30 s, as one does that waits for a change begun inside it
   */
  change<T>(work: (tx: Tx) => Promise<T>, owner?: string): Promise<T>;
  /** How many transactions that write can be under way at one time. */
  readonly writersMax: number;
  /**
   * Calls the listener after each commit with events, in the order in which this process learns of its commits. Where a database has several
   * writers this may differ from the order of an account's journal, which the ids tell.
   */
  onEvents(listener: (events: readonly JournalEvent[]) => void): () => void;
  /**
   * Calls the listener after each commit of this process that wrote one of the tables, before `change` resolves. Rows that foreign keys
   * delete do not count as written, so name the tables that cause these deletions too.
   */
  onWritten(tables: readonly (keyof Database)[], listener: () => void): () => void;
  /**
   * Calls the listener within about a second after another process changed the database: a tool (`apply` beside a running cloud), or another
   * cloud process.
   */
  onForeignChange(listener: (change: ForeignChange) => void): () => void;
  /** Whether the disk of the database takes changes; null: a server looks after it. It looks by itself once it is started, until the store closes. */
  readonly writes: Pick<WriteWatch, 'refusal' | 'start'> | null;
  /** The other cloud processes on this database; null: there are none. */
  readonly peers: Peers | null;
  /** Brings the schema up to date; returns the names of the migrations that ran. */
  migrate(migrations: Migrations): Promise<string[]>;
  /** Waits for the changes under way, and then closes the database. Idempotent. */
  close(): Promise<void>;
}

/** The same store, whose changes wait among those of the share. */
export const ofOwner = (store: CloudStore, owner: string): CloudStore => ({
  ...store,
  change: (work) => store.change(work, owner),
});

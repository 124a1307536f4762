/** Port: one kind of database, for the cloud's store. A driver knows the dialect, and nothing of journal, effects or audit. */
import type { Kysely } from 'kysely';
import type { Db } from './cloud-store.js';
import type { Database } from './schema.js';
import type { Peers } from './peers.js';
import type { ForeignChange, WrittenNames } from './written-tables.js';

export interface DatabaseDriver {
  /** For transactions that write, `writersMax` at a time; throws StoreError. */
  readonly writer: Kysely<Database>;
  readonly writersMax: number;
  /** The same for migrations, whose statements may take as long as they need. */
  readonly migrator: Kysely<Database>;
  /** For quick queries; it cannot write. `reader.transaction()` reads the state of one moment. */
  readonly reader: Kysely<Database>;
  /**
   * The same for long queries, each work on a connection of its own. When the signal is aborted, the database soon does nothing more for
   * it, and this rejects with the signal's reason.
   */
  report<T>(work: (db: Kysely<Database>) => Promise<T>, signal: AbortSignal): Promise<T>;
  /** Holds the locks until the transaction ends; waits while another transaction holds one. It acquires them in the order of the names given. */
  lock(tx: Db, names: readonly string[]): Promise<void>;
  /** The same without waiting: false when another transaction holds one of them. What it acquired by then is held. */
  tryLock(tx: Db, names: readonly string[]): Promise<boolean>;
  /** Where the database is a file of this machine. `rewrite` writes something that changes nothing. null: a server looks after its disk. */
  readonly disk: { path: string; rewrite(tx: Db): Promise<unknown> } | null;
  /** null: no other cloud process works on this database. */
  readonly peers: Peers | null;
  /** Tells other processes, if they do not notice by themselves, that a change of this one is committed. */
  notifyCommit(written: WrittenNames): void;
  /** Calls the listener within about a second after another process has committed. @returns how to stop */
  onForeignCommit(listener: (change: ForeignChange) => void): () => void;
  /** Closes the database. The caller makes sure that nothing is under way any more. */
  close(): Promise<void>;
}

/** Port: the other cloud processes that work on the same database. A database of one process alone has none. */
import type { Kysely } from 'kysely';
import type { Lock } from './locks.js';
import type { Database } from './schema.js';

/** A transaction of what processes have to settle among themselves: nothing is journalled in it, and nothing follows its commit. */
export type PeersTx = Kysely<Database> & {
  /** Holds the locks until the transaction ends; waits while another transaction holds one. */
  lock(...locks: readonly Lock[]): Promise<void>;
};

export interface Peers {
  /** The name of this process among them; another one after each start. */
  readonly id: string;
  /**
   * Tells the others something, soon and in the order of the calls. It is heard by who listens at that time, and kept for nobody: what must
   * not be lost is in the database, and who may have missed something looks there (`onMissed`). JSON of a few kilobytes.
   */
  notify(topic: string, news: unknown): void;
  /** Calls the listener with what others tell. They may run another version of this program. @returns how to stop */
  onNotice(topic: string, listener: (news: unknown) => void): () => void;
  /** Calls the listener when others may have told something that was not heard. @returns how to stop */
  onMissed(listener: () => void): () => void;
  /** Says that another process may have died before it told of a commit: who hears of commits (`onForeignChange`) looks again. */
  assumeMissed(): void;
  /**
   * Runs a transaction on a connection that no change of this process uses or waits for. Each statement, and each wait for a lock, may take
   * some seconds at most: whoever others watch must not seem dead because it is busy. @throws StoreError
   */
  apart<T>(work: (tx: PeersTx) => Promise<T>): Promise<T>;
  /** Refuses every change of this process from then on, unless it is in `cloud_processes`. */
  requireMembership(): void;
  /** Calls the listener once, when a change was refused for this. */
  onExpelled(listener: () => void): () => void;
  /** Whether the process with this name is connected, as far as the database knows: one that was killed is not. */
  isConnected(db: Kysely<Database>, id: string): Promise<boolean>;
  /** Ends what a process does in the database at the moment. */
  endWorkOf(db: Kysely<Database>, id: string): Promise<void>;
  /** The database's clock, which all processes share: wall milliseconds. */
  now(): Promise<number>;
}

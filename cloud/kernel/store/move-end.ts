/** Port: a database that is moved from, or moved to, while nobody else works with it. */
import type { Db } from './cloud-store.js';

/** A table as its database describes it. */
export interface TableShape {
  name: string;
  columns: readonly string[];
  /** The columns of its primary key, in the key's order. */
  key: readonly string[];
  /** The tables that its foreign keys name. */
  refersTo: readonly string[];
}

export interface MoveEnd {
  readonly db: Db;
  /** Lists all tables but the migrator's own, in any order. */
  tables(): Promise<TableShape[]>;
  /**
   * Runs the work as one transaction, in which the database stays as it is for everybody else: what the work writes is there as a whole
   * or not at all, even if this program is killed.
   */
  alone<T>(work: (db: Db) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

export interface MoveEndOptions {
  /** `sqlite:PATH` or `postgres://...` */
  url: string;
  /** A source has to be there, and is only read. */
  role: 'source' | 'target';
}

/** A move that cannot begin; nothing was written. The message says what to do. */
export class MoveRefusedError extends Error {
  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'MoveRefusedError';
  }
}

export const inUse = (shownUrl: string): MoveRefusedError =>
  new MoveRefusedError(`A program works with ${shownUrl}: stop the cloud that runs on it, and run this again.`);

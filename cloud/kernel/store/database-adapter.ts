/** Port: what each kind of database writes in its own way. The adapter of its Kysely has it, and so has every transaction. */
import type { DialectAdapter, Kysely, RawBuilder } from 'kysely';
import type { Db } from './cloud-store.js';

export interface DatabaseIdentity {
  identity: string;
  isBackup: boolean;
}

export interface DatabaseAdapter extends DialectAdapter {
  /** Whether triggers call functions in PL/pgSQL; else they hold the statements themselves. */
  readonly speaksPlpgsql: boolean;
  /** A table of these rows for the FROM of a statement, as one parameter. */
  lookupRows(columns: Readonly<Record<string, 'integer' | 'text'>>, rows: readonly object[]): RawBuilder<unknown>;
  /** The same with the columns of a table of the database; null: these rows are better written as values. */
  rowsLike(table: string, rows: readonly object[]): RawBuilder<unknown> | null;
  /** Lets go of checks that stand in the way of a migration. */
  dropValueChecks<Schema>(db: Kysely<Schema>): Promise<void>;
  /** Has the tables refuse what a column's type does not hold. @throws StoreError when rows of a table break it */
  addValueChecks<Schema>(db: Kysely<Schema>): Promise<void>;
  /**
   * Finds what tells this database from its copies, as far as that can be told, and whether it is a backup (`parking-cloud backup`) that no
   * cloud has worked on. It is not asked inside a transaction.
   */
  identify(db: Db): Promise<DatabaseIdentity>;
  /** From now on it is a database like any other. */
  endBackupMark(db: Db): Promise<void>;
  /** By table: the highest id that was ever given, 0 for none, by tables whose ids the database gives. */
  lastIds(db: Db): Promise<Map<string, number>>;
  /** Lets ids be given after these; what is 0 stays as it is. */
  setLastIds(db: Db, last: ReadonlyMap<string, number>): Promise<void>;
}

/** Every driver's dialect makes such an adapter. */
export const adapterOf = <Schema>(db: Kysely<Schema>): DatabaseAdapter => db.getExecutor().adapter as DatabaseAdapter;

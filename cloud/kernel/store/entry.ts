/** The door to the database. */
export {
  type Change,
  type CloudStore,
  type Db,
  ofOwner,
  type JournalEvent,
  type Migrations,
  type RunReport,
  StoreError,
  type Tx,
} from './cloud-store.js';
export { type Column, createTables, createTrigger, type Schema, type Tables } from './create-tables.js';
export { databaseFault, isStoreFault } from './database-faults.js';
export {
  absoluteDatabaseUrl,
  DATABASE_URL_ALLOWED,
  isDatabaseUrl,
  isPostgresUrl,
  shownDatabaseUrl,
} from './database-url.js';
export { deleteInPieces } from './delete-in-pieces.js';
export { deletedAt, deleteRow, type GoneRows, KEPT_OF_ALL } from './deletion-queries.js';
export { createGroupedChanges, createGroupedWork, type GroupedWork, type GroupPace } from './grouped-changes.js';
export {
  eventsAfter,
  eventsBetween,
  type EventScope,
  journalHeadOf,
  journalHeads,
  type JournalRow,
  pruneEvents,
} from './journal-queries.js';
export type { JsonColumn } from './json-column.js';
export { type Lock, LOCKS } from './locks.js';
export { moveDatabase, type MovedTable, type MoveProgress } from './move-database.js';
export { type MoveEnd, type MoveEndOptions, MoveRefusedError } from './move-end.js';
export {
  lookupRows,
  byOwner,
  insertRow,
  isStoreError,
  type NamedThing,
  pairedIds,
  type Pairs,
  replacePairs,
  rowsByIds,
  rowsOf,
  updateRow,
} from './row-queries.js';
export { insertNumbered, insertRows, ROWS_OF_STATEMENT_MAX } from './rows-of-statement.js';
export { saveEach } from './save-each-queries.js';
export type { Database, DeletedThing, NewRow, Row, RowOf } from './schema.js';
export type { CellOf, Flag, TablesOf, Text, TextWithDefault } from './table-types.js';
export { includesOneOf } from './written-tables.js';

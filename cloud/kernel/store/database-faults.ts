/** What may be wrong with a database while nothing is wrong with what it is asked. */
import { StoreError, type StoreErrorCode } from './cloud-store.js';

/** A fault as anybody may see it, with the time after which a repeat is worth it. */
export interface DatabaseFault {
  message: string;
  retryAfterS: number;
}

const FAULTS: Readonly<Partial<Record<StoreErrorCode, DatabaseFault>>> = {
  io: { message: 'The database does not work or cannot be reached: ask again later', retryAfterS: 5 },
  no_connection: { message: 'The database has no connection left: ask again later', retryAfterS: 5 },
  read_only: { message: 'The database can only be read at present: ask again later', retryAfterS: 10 },
  full: { message: "The database's disk is full: ask again when its operator has made room", retryAfterS: 60 },
  locked: { message: 'The database is held by another program for too long: ask again later', retryAfterS: 5 },
  conflict: { message: 'Too many requests change the same at once: ask again later', retryAfterS: 1 },
  closed: { message: 'The service is stopping: ask again later', retryAfterS: 1 },
};

/** @returns null when the database works, so that what it was asked is at fault */
export const databaseFault = (error: unknown): DatabaseFault | null =>
  error instanceof StoreError ? (FAULTS[error.code] ?? null) : null;

/** What the rows themselves may be the reason for. */
const OF_ROWS: ReadonlySet<StoreErrorCode> = new Set(['unique', 'foreign_key', 'constraint']);

/**
 * Whether it failed because of the store, and not of what it was given: what the store refuses now it may take later, such as when the program
 * and its tables are of one version again. What was given must not be given up for it.
 */
export const isStoreFault = (error: unknown): boolean => error instanceof StoreError && !OF_ROWS.has(error.code);

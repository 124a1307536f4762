/**
 * A backup carries a mark in its header until a program opens it as its database. A log that was left by the database in whose place it is put
 * would be played into it, and SQLite does not see that the two do not belong together. Then it carries another one, until a cloud has seen to
 * it that no number is given again (`leap-if-restored.ts`).
 */
import { closeSync, existsSync, fsyncSync, openSync, readSync, statSync, writeSync } from 'node:fs';
import { StoreError } from '../cloud-store.js';

/** The four bytes of the header that SQLite leaves to programs (`application_id`); 0 in our databases. */
const PLACE = 68;
const MARK = Buffer.from('PBAK');
const ADOPTED = Buffer.from('PNEW');

/** The `application_id` of a backup that was opened, and that no cloud has worked on. */
export const ADOPTED_MARK = ADOPTED.readInt32BE();

export const markBackup = (path: string): void => write(path, MARK);

/**
 * Changes the mark of a backup that was put in the place of a database.
 * @throws StoreError when a log of the former database is beside it
 */
export function adoptBackup(path: string): void {
  if (!isMarked(path)) return;
  const log = `${path}-wal`;
  if (existsSync(log) && statSync(log).size > 0)
    throw new StoreError(
      'io',
      `Cannot open the database ${path}: it is a backup, and ${log} is of the database that was there before and would damage it. Remove ${log} and ${path}-shm`,
    );
  write(path, ADOPTED);
}

function isMarked(path: string): boolean {
  const found = Buffer.alloc(MARK.length);
  const file = openSync(path, 'r');
  try {
    return readSync(file, found, 0, found.length, PLACE) === MARK.length && found.equals(MARK);
  } finally {
    closeSync(file);
  }
}

function write(path: string, bytes: Buffer): void {
  const file = openSync(path, 'r+');
  try {
    writeSync(file, bytes, 0, bytes.length, PLACE);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

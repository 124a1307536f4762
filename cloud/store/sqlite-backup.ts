/** Driver: a copy of the database while it is in use. */
import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { StoreError } from './cloud-store.js';
import { openSqliteConnection } from './sqlite-connection.js';
import { databasePathOf } from './sqlite-store.js';

const BUSY_TIMEOUT_MS = 5_000;

/**
 * Writes the database as it is at one moment into one new file, readable by its owner only, checked and on disk when the promise
 * resolves; the cloud may go on meanwhile. It appears whole or not at all.
 * @throws StoreError, also when the file is there already
 */
export async function backUpSqlite(options: { url: string; to: string }): Promise<void> {
  const { url, to } = options;
  const temporary = `${to}.${process.pid}.tmp`;
  // Opened for reading, no database is made where there is none.
  const connection = await openSqliteConnection({
    path: databasePathOf(url),
    readonly: true,
    busyTimeoutMs: BUSY_TIMEOUT_MS,
  });
  try {
    closeSync(openSync(temporary, 'wx', 0o600));
    await connection.backUp(temporary);
    sync(temporary);
    // Not linked into place: the sticks that backups go to know no links.
    if (existsSync(to)) throw new Error('it is there already');
    renameSync(temporary, to);
    sync(dirname(to));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new StoreError('io', `Cannot write the backup ${to}: ${reason}`, { cause: error });
  } finally {
    rmSync(temporary, { force: true });
    await connection.close();
  }
}

function sync(path: string): void {
  const file = openSync(path, 'r');
  fsyncSync(file);
  closeSync(file);
}

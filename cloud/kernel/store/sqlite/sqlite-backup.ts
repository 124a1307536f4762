/** Driver: copies the database while it is in use. */
import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { StoreError } from '../cloud-store.js';
import { markBackup } from './backup-mark.js';
import { openSqliteConnection } from './sqlite-connection.js';
import { databasePathOf } from './sqlite-store.js';
import { errorText } from '../../../../shared/error-text.js';

const BUSY_TIMEOUT_MS = 5_000;

/**
 * Writes the state of the database at one moment into one new file, which only its owner can read. When the promise resolves, the file is
 * checked and on disk. The cloud may go on meanwhile. The file appears whole or not at all.
 * @throws StoreError, also when the file already exists
 */
export async function backUpSqlite(options: { url: string; to: string }): Promise<void> {
  const { url, to } = options;
  const temporary = `${to}.${process.pid}.tmp`;
  // It is opened for reading, so that no database is created if there is none.
  const connection = await openSqliteConnection({
    path: databasePathOf(url),
    readonly: true,
    busyTimeoutMs: BUSY_TIMEOUT_MS,
  });
  try {
    closeSync(openSync(temporary, 'wx', 0o600));
    await connection.backUp(temporary);
    markBackup(temporary);
    sync(temporary);
    // The file is renamed and not linked into place, because the file systems of USB sticks have no links.
    if (existsSync(to)) throw new Error('it is there already');
    renameSync(temporary, to);
    sync(dirname(to));
  } catch (error) {
    const reason = errorText(error);
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

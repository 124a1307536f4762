/** `parking-cloud backup FILE` */
import { existsSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { copyServerKeys } from '../../kernel/secrets/entry.js';
import { isPostgresUrl } from '../../kernel/store/entry.js';
import type { CommandIo } from './apply.js';

export interface BackupOptions {
  file: string;
  config: { dataDir: string; serverKey: string | null; databaseUrl: string };
}

export interface BackupDeps {
  /** Writes the database into a new file. */
  backUp(database: { url: string; to: string }): Promise<void>;
}

/**
 * Copies the database of a cloud, which may be running, into FILE, and the server keys into FILE.keys: the secrets in the database cannot
 * be opened without them. A restored cloud needs nothing but these two.
 * @returns the exit code: 0 done, 2 there is nothing to copy, one of the files exists, or a server has the database
 * @throws what else goes wrong: exit code 1
 */
export async function runBackup({ file, config }: BackupOptions, deps: BackupDeps, io: CommandIo): Promise<0 | 2> {
  if (isPostgresUrl(config.databaseUrl)) {
    io.err('the database is on a PostgreSQL server: back it up with pg_dump, and server-keys.json of DATA_DIR with it');
    return 2;
  }
  const to = resolve(file);
  const keys = `${to}.keys`;
  const database = config.databaseUrl.slice('sqlite:'.length);
  if (!existsSync(database)) {
    io.err(`there is no database ${database}: give the DATA_DIR or DATABASE_URL of the cloud`);
    return 2;
  }
  for (const path of [to, keys]) {
    if (!existsSync(path)) continue;
    io.err(`${path} is there already: a backup overwrites nothing; choose another name`);
    return 2;
  }
  const hasKeys = config.serverKey === null;
  if (hasKeys) copyServerKeys({ dataDir: config.dataDir, to: keys });
  try {
    await deps.backUp({ url: config.databaseUrl, to });
  } catch (error) {
    if (hasKeys) rmSync(keys, { force: true });
    throw error;
  }
  io.out(`database     ${to}`);
  if (hasKeys) io.out(`server keys  ${keys} (who has both can open every secret: keep them apart, and both of them)`);
  else io.out('server keys  not copied: the restored cloud needs the same SERVER_KEY');
  io.out(`Pictures are not in it: ${config.dataDir}/images.`);
  const putKeys = hasKeys ? ` and ${keys} as server-keys.json` : '';
  io.out(`To restore: into an empty DATA_DIR put ${to} as cloud.db${putKeys}, and start the cloud on it.`);
  return 0;
}

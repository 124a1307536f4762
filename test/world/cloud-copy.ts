/** Copies the database of a world's cloud and its server keys as an operator does, and puts the copy in their place. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { findPostgres } from '../../scripts/machines/find-programs.js';
import { createDatabase, dropDatabase, onPostgres, postgresForSync } from './postgres-databases.js';
import { startProgram } from './programs.js';

export interface CloudCopy {
  /** Call it while no cloud works with the database. Nothing else of DATA_DIR is left. */
  restore(): Promise<void>;
}

/** @param dataDir DATA_DIR of a cloud, which may be running; the copy is beside it */
export async function copyCloud(dataDir: string): Promise<CloudCopy> {
  const file = `${dataDir}-copy`;
  const keys = `${file}.keys`;
  const emptied = (): void => {
    rmSync(dataDir, { recursive: true });
    mkdirSync(dataDir, { mode: 0o700 });
    cpSync(keys, join(dataDir, 'server-keys.json'));
  };
  if (!onPostgres()) {
    const backup = startProgram('cloud/main.js', ['backup', file], { DATA_DIR: dataDir });
    const { code } = await backup.ended;
    if (code !== 0) throw new Error(`backup failed (${code}):\n${backup.output()}`);
    return {
      async restore() {
        emptied();
        cpSync(file, join(dataDir, 'cloud.db'));
      },
    };
  }
  const url = postgresForSync(join(dataDir, 'cloud.db'));
  const programs = findPostgres() ?? '';
  execFileSync(join(programs, 'pg_dump'), ['-Fc', '-f', file, '-d', url]);
  cpSync(join(dataDir, 'server-keys.json'), keys);
  return {
    async restore() {
      emptied();
      const name = new URL(url).pathname.slice(1);
      await dropDatabase(name);
      await createDatabase(name);
      execFileSync(join(programs, 'pg_restore'), ['-d', url, file]);
    },
  };
}

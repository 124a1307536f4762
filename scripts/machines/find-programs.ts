/** Finds the programs of others that a database and a broker of one's own are made of, as Debian installs them. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const POSTGRES = '/usr/lib/postgresql';
/** The folder of administrators' programs; a user's PATH need not have it. */
const SYSTEM = '/usr/sbin';

const foldersOfPath = (): string[] => (process.env['PATH'] ?? '').split(':');

/** @returns the program's path; null: it is not installed */
export function findProgram(name: string): string | null {
  const paths = [SYSTEM, '/usr/local/bin', ...foldersOfPath()].map((folder) => join(folder, name));
  return paths.find((path) => existsSync(path)) ?? null;
}

/** @returns the folder with PostgreSQL's programs, of the newest version there is; null: it is not installed */
export function findPostgres(): string | null {
  const versions = existsSync(POSTGRES) ? readdirSync(POSTGRES).toSorted((a, b) => Number(b) - Number(a)) : [];
  const folders = [...versions.map((version) => join(POSTGRES, version, 'bin')), ...foldersOfPath()];
  return folders.find((folder) => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'postgres'))) ?? null;
}

/** @returns as whom PostgreSQL runs, which refuses to run as root; null: as this process */
export function postgresOwner(): { uid: number; gid: number } | null {
  if (process.getuid?.() !== 0) return null;
  for (const name of ['postgres', 'nobody']) {
    try {
      const [uid, gid] = ['-u', '-g'].map((flag) => Number(execFileSync('id', [flag, name], { stdio: 'pipe' })));
      if (uid !== undefined && gid !== undefined) return { uid, gid };
    } catch {
      // There is no such user.
    }
  }
  return null;
}

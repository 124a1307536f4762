/** A PostgreSQL server of the cluster's own, whose data stays for the next start. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chownSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import type { Program } from '../demo/children.js';
import { postgresOwner } from './find-programs.js';

const USER = 'parking';
const DATABASE = 'parking';
/** The home of the user that Debian's package makes, who may not enter folders of root. */
const DEBIAN_HOME = '/var/lib/postgresql';

interface Place {
  /** With PostgreSQL's programs. */
  folder: string;
  dataDir: string;
}

function directoryOf(dataDir: string): string {
  if (postgresOwner() === null) return join(dataDir, 'postgres');
  const name = `parking-cluster-${createHash('sha256').update(dataDir).digest('hex').slice(0, 12)}`;
  return join(existsSync(DEBIAN_HOME) ? DEBIAN_HOME : '/var/tmp', name);
}

export function removePostgres(dataDir: string): void {
  rmSync(directoryOf(dataDir), { recursive: true, force: true });
}

export const postgresUrl = (port: number, database = DATABASE): string =>
  `postgres://${USER}@127.0.0.1:${port}/${database}`;

/** Makes its data when there is none yet. @returns how it is started */
export function postgresProgram({ folder, dataDir, port }: Place & { port: number }): Program {
  const directory = directoryOf(dataDir);
  const owner = postgresOwner();
  const data = join(directory, 'data');
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  if (owner !== null) chownSync(directory, owner.uid, owner.gid);
  const as = { ...owner, cwd: directory };
  if (!existsSync(join(data, 'PG_VERSION'))) {
    // Only this machine reaches it. Where others do, users have passwords, and connections TLS.
    const args = ['-D', data, '-U', USER, '--auth=trust', '--encoding=UTF8', '--locale=C'];
    execFileSync(join(folder, 'initdb'), args, { ...as, stdio: 'pipe' });
  }
  return {
    name: 'PostgreSQL',
    command: join(folder, 'postgres'),
    args: ['-D', data, '-p', String(port), '-k', directory, '-h', '127.0.0.1'],
    env: {},
    logFile: join(dataDir, 'postgres.log'),
    ...(owner === null ? {} : { as: { ...owner, cwd: directory } }),
    // It ends without waiting for connected clients.
    stopSignal: 'SIGINT',
  };
}

export async function postgresAnswers(port: number): Promise<boolean> {
  try {
    await run(port, 'select 1');
    return true;
  } catch {
    return false;
  }
}

/** Makes the cloud's database when there is none yet. */
export async function createDatabase(port: number): Promise<void> {
  const rows = await run(port, `select 1 from pg_database where datname = '${DATABASE}'`);
  if (rows.length === 0) await run(port, `create database ${DATABASE} encoding UTF8 template template0`);
}

async function run(port: number, statement: string): Promise<unknown[]> {
  const client = new Client({ connectionString: postgresUrl(port, 'postgres') });
  await client.connect();
  try {
    return (await client.query(statement)).rows;
  } finally {
    await client.end();
  }
}

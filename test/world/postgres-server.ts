/** A PostgreSQL server of the tests' own, in a directory that goes with it. */
import { type ChildProcess, execFileSync } from 'node:child_process';
import { chmodSync, chownSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { findPostgres, postgresOwner } from '../../scripts/machines/find-programs.js';
import { freePorts } from './free-ports.js';
import { endServer, startServer } from './server-program.js';
import { waitUntil } from '../../scripts/sim/wait-until.js';

const USER = 'parking';
/** What asks it to end, from gently to not at all. */
const SIGNALS = { fast: 'SIGINT', immediate: 'SIGQUIT', kill: 'SIGKILL' } as const;

/** It need not survive the machine: a test that stops or kills it asks for a durable one. */
const FAST = ['fsync=off', 'full_page_writes=off', 'synchronous_commit=off'];
/** Those that a killed server had for its connections end by themselves, but not at once. */
const OLD_ONES_LIVE = /Shared-Memory-Block .* noch benutzt|shared memory block .* still in use/i;
const OLD_ONES_END_WITHIN_MS = 60_000;
const SETTINGS = [
  'max_connections=300',
  'shared_buffers=64MB',
  'jit=off',
  'autovacuum_naptime=20s',
  'deadlock_timeout=100ms',
  'lc_messages=C.UTF-8',
];
/** It speaks German where its translations are installed, because nothing may depend on its words. Any locale but C asks this variable. */
const LANGUAGE = { LANGUAGE: 'de' };

export interface PostgresServer {
  readonly port: number;
  /** The directory of its data. */
  readonly directory: string;
  /** The address of one of its databases. */
  url(database: string): string;
  /** Runs one statement, in the database `postgres` unless another is named. */
  run(statement: string, database?: string): Promise<Record<string, unknown>[]>;
  /** Ends it as an operator would, or at once as a fault does; it can be started again. */
  stop(how?: keyof typeof SIGNALS): Promise<void>;
  start(): Promise<void>;
  /** Makes a standby the primary. */
  promote(): Promise<void>;
  /** Stops it, and removes what it has. */
  remove(): Promise<void>;
}

/**
 * Makes a server and starts it.
 * @param options.isDurable whether what it committed survives its kill
 * @param options.standbyOf it follows this server, as its standby
 */
export async function startPostgres(
  options: { isDurable?: boolean; settings?: string[]; standbyOf?: PostgresServer } = {},
): Promise<PostgresServer> {
  const folder = findPostgres();
  if (folder === null) throw new Error('PostgreSQL is not installed: scripts/setup --test installs it');
  const directory = mkdtempSync(join(tmpdir(), 'postgres-'));
  const owner = postgresOwner();
  if (owner !== null) chownSync(directory, owner.uid, owner.gid);
  chmodSync(directory, 0o700);
  const data = join(directory, 'data');
  const asOwner = { ...owner, cwd: directory, env: { ...process.env, ...LANGUAGE } };
  const made =
    options.standbyOf === undefined
      ? { program: 'initdb', args: ['-U', USER, '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync'] }
      : {
          program: 'pg_basebackup',
          args: ['-R', '-X', 'stream', '-c', 'fast', '-d', options.standbyOf.url('postgres')],
        };
  execFileSync(join(folder, made.program), ['-D', data, ...made.args], { ...asOwner, stdio: 'pipe' });
  const [port = 0] = await freePorts(1);
  const settings = [...SETTINGS, ...(options.isDurable ? [] : FAST), ...(options.settings ?? [])];
  const args = [
    '-D',
    data,
    '-p',
    String(port),
    '-k',
    directory,
    '-h',
    '127.0.0.1',
    ...settings.flatMap((each) => ['-c', each]),
  ];
  let child: ChildProcess | undefined;
  const url = (database: string) => `postgres://${USER}@127.0.0.1:${port}/${database}`;

  const server: PostgresServer = {
    port,
    directory: data,
    url,
    async run(statement, database = 'postgres') {
      const client = new Client({ connectionString: url(database) });
      await client.connect();
      try {
        return (await client.query<Record<string, unknown>>(statement)).rows;
      } finally {
        await client.end();
      }
    },
    async start() {
      const started = await waitUntil(
        'the processes of the server of before to end',
        () =>
          startServer({
            name: 'PostgreSQL',
            program: join(folder, 'postgres'),
            args,
            spawnOptions: asOwner,
            answers: () => answers(server),
          }).catch((error: unknown) => (OLD_ONES_LIVE.test(String(error)) ? false : { error })),
        OLD_ONES_END_WITHIN_MS,
      );
      if ('error' in started) throw started.error;
      child = started;
    },
    stop: (how = 'fast') => endServer(child, SIGNALS[how]),
    async promote() {
      await server.run('select pg_promote()');
    },
    async remove() {
      await server.stop('immediate');
      rmSync(directory, { recursive: true, force: true });
    },
  };
  await server.start();
  return server;
}

async function answers(server: PostgresServer): Promise<boolean> {
  try {
    await server.run('select 1');
    return true;
  } catch {
    return false;
  }
}

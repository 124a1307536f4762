import { chownSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { ChildProcess } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { requireUsableDatabase } from '../../../cloud/kernel/store/postgres/postgres-requirements.js';
import { postgresOwner } from '../../../scripts/machines/find-programs.js';
import { freePorts } from '../../world/free-ports.js';
import { hasPostgres } from '../../world/postgres-databases.js';
import { type PostgresServer, startPostgres } from '../../world/postgres-server.js';
import { endServer, startServer } from '../../world/server-program.js';

const POOLER = '/usr/sbin/pgbouncer';
const hasPooler = existsSync(POOLER) || process.env['CI'] !== undefined;

describe.runIf(hasPostgres() && hasPooler)('a database behind PgBouncer', () => {
  let directory: string;
  let server: PostgresServer;
  let pooler: ChildProcess;
  let port: number | undefined;

  beforeAll(async () => {
    server = await startPostgres();
    [port] = await freePorts(1);
    directory = mkdtempSync(join(tmpdir(), 'pooler-'));
    const owner = postgresOwner();
    const file = join(directory, 'pooler.ini');
    const target = `host=127.0.0.1 port=${server.port} dbname=postgres user=parking`;
    writeFileSync(
      file,
      `[databases]
transaction = ${target} pool_mode=transaction
session = ${target} pool_mode=session
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
ignore_startup_parameters = options,extra_float_digits
`,
    );
    if (owner !== null) for (const path of [directory, file]) chownSync(path, owner.uid, owner.gid);
    pooler = await startServer({
      name: 'PgBouncer',
      program: POOLER,
      args: [file],
      spawnOptions: owner ?? {},
      answers: () =>
        requireUsableDatabase(urlOf('nowhere')).then(
          () => true,
          (error: unknown) => !String(error).includes('nothing listens'),
        ),
    });
  });
  afterAll(async () => {
    await endServer(pooler, 'SIGTERM');
    await server?.remove();
    rmSync(directory, { recursive: true, force: true });
  });

  const urlOf = (database: string) => `postgres://parking@127.0.0.1:${port}/${database}`;

  it.each([
    ['transaction', /connection pooler \(such as PgBouncer\) .* shares connections between transactions/],
    ['session', /connection pooler \(such as PgBouncer\) .* drops the settings/],
  ])('is refused in %s mode, in words that name the pooler', async (database, problem) => {
    await expect(requireUsableDatabase(urlOf(database))).rejects.toThrow(problem);
  });

  it('is good when it is asked itself', async () => {
    await expect(requireUsableDatabase(server.url('postgres'))).resolves.toBeUndefined();
  });
});

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fetchChecked } from '../../contract/checked-fetch.js';
import { hasPostgres } from '../../world/postgres-databases.js';
import { type PostgresServer, startPostgres } from '../../world/postgres-server.js';
import { freePorts } from '../../world/free-ports.js';
import { startProgram } from '../../world/programs.js';
import { waitUntil } from '../../../scripts/sim/wait-until.js';
import { FULL_SITE_TEXT } from '../../unit/site/full-site-text.js';

const SECRET = 'p@ss/word';

/** Roles with passwords; the tests' own user needs none. */
const WHO_MAY_ENTER = `
host all parking   127.0.0.1/32 trust
host all stranger  127.0.0.1/32 reject
host all all       127.0.0.1/32 scram-sha-256
`;

describe.runIf(hasPostgres())('DATABASE_URL of a PostgreSQL server', () => {
  let directory: string;
  let server: PostgresServer;
  let env: Record<string, string>;

  const urlOf = (database: string, { user = 'guest', password = SECRET } = {}): string => {
    const url = new URL(server.url(database));
    url.username = user;
    url.password = encodeURIComponent(password);
    return url.href;
  };

  async function run(url: string, ...args: string[]): Promise<{ code: number | null; output: string }> {
    const program = startProgram('cloud/main.js', args, { ...env, DATABASE_URL: url });
    const { code } = await program.ended;
    return { code, output: program.output() };
  }

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'database-url-'));
    const [port, mqttPort] = await freePorts(2);
    env = { DATA_DIR: join(directory, 'data'), PORT: String(port), MQTT_PORT: String(mqttPort) };
    server = await startPostgres();
    writeFileSync(join(server.directory, 'pg_hba.conf'), WHO_MAY_ENTER);
    for (const role of ['guest', 'stranger']) await server.run(`create role ${role} login password '${SECRET}'`);
    for (const name of ['site', 'closed', 'of_another', 'newer', 'shut']) await server.run(`create database ${name}`);
    await server.run('select pg_reload_conf()');
    await server.run('revoke connect on database shut from public');
    await server.run('alter database of_another owner to guest');
    await server.run('create table invoices (id int)', 'of_another');
    await server.run('create table kysely_migration (name text, timestamp text)', 'newer');
    await server.run("insert into kysely_migration values ('0001-baseline', ''), ('9999-flying-cars', '')", 'newer');
    await server.run('grant all on all tables in schema public to guest', 'newer');
  });
  afterAll(async () => {
    await server?.remove();
    rmSync(directory, { recursive: true, force: true });
  });

  it.each<[string, () => string, RegExp]>([
    [
      'a user without rights',
      () => urlOf('closed'),
      /^parking-cloud: Cannot use the database postgres:\/\/guest@127\.0\.0\.1:\d+\/closed: user guest may not create tables\. Grant it: .*\n$/,
    ],
    ['a user who may not connect', () => urlOf('shut'), /may not connect to it\. Grant it: .*\n$/],
    ['a user who is not let in', () => urlOf('site', { user: 'stranger' }), /does not let this user in\. .*\n$/],
    [
      'a wrong password',
      () => urlOf('site', { password: `${SECRET}!` }),
      /user or password is wrong\. Correct them\.\n$/,
    ],
    ['no such database', () => urlOf('nowhere'), /there is no such database\. Create it: .*\n$/],
    ["another program's database", () => urlOf('of_another'), /it has 1 tables of another program\. Create .*\n$/],
    [
      'a newer schema',
      () => urlOf('newer'),
      /is of a newer version \(9999-flying-cars\)\. Start the version that .*\n$/,
    ],
    [
      'no server',
      () => 'postgres://guest:p%40ss%2Fword@127.0.0.1:1/site',
      /nothing listens there\. Start the server.*\n$/,
    ],
    [
      'a certificate that is not there',
      () => `${urlOf('site')}?sslmode=verify-full&sslrootcert=/none.pem`,
      /Cannot open the database .*\/site: .*\/none\.pem.*\n$/,
    ],
  ])('stops with one line that says what to do: %s', async (_title, url, line) => {
    const { code, output } = await run(url(), 'serve');
    expect(output).toMatch(line);
    expect(output.trimEnd().split('\n')).toHaveLength(1);
    expect(code).toBe(1);
    expect(output).not.toContain(SECRET);
    expect(output).not.toContain(encodeURIComponent(SECRET));
  });

  it('stops a value that is no address, with exit code 2 and without the password', async () => {
    const { code, output } = await run(`postgres://guest:${SECRET}@127.0.0.1/site`, 'serve');
    expect([code, output.trimEnd().split('\n').length]).toEqual([2, 1]);
    expect(output).toMatch(
      /^parking-cloud: DATABASE_URL \(environment\): this value is not allowed; allowed: sqlite:PATH, or/,
    );
    expect(output).not.toContain(SECRET);
  });

  it('is all that a cloud needs to work on it', async () => {
    await server.run('alter database site owner to guest');
    const url = urlOf('site');
    writeFileSync(join(directory, 'site.yaml'), FULL_SITE_TEXT);
    expect(await run(url, 'apply', join(directory, 'site.yaml'))).toMatchObject({ code: 0 });
    const base = `http://127.0.0.1:${env['PORT']}`;
    const cloud = startProgram('cloud/main.js', ['serve'], { ...env, DATABASE_URL: url });
    await waitUntil('the cloud to answer', async () => (await fetch(`${base}/readyz`)).ok);
    const made = await run(url, 'token', 'create', '--account', 'Harbour Parking', '--name', 'till');
    const [token] = /^[A-Za-z0-9_-]{43}$/m.exec(made.output) ?? [];
    const headers = { authorization: `Bearer ${token}` };
    expect((await fetchChecked(`${base}/v2/products/1`, { headers })).status).toBe(200);
    expect(await run(url, 'backup', join(directory, 'copy.db'))).toMatchObject({
      code: 2,
      output: expect.stringContaining('back it up with pg_dump'),
    });
    await cloud.end();
    expect(await cloud.ended).toMatchObject({ code: 0 });
    expect(cloud.output()).not.toContain(encodeURIComponent(SECRET));
  });
});

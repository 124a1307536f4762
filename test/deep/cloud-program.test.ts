import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fetchChecked } from '../contract/checked-fetch.js';
import { freePorts } from '../world/free-ports.js';
import { onPostgres } from '../world/postgres-databases.js';
import { type RunningProgram, startProgram } from '../world/programs.js';
import { waitUntil } from '../../scripts/sim/wait-until.js';
import { FULL_SITE_TEXT } from '../unit/site/full-site-text.js';

let directory: string;
let env: Record<string, string>;
let url: string;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'cloud-program-'));
  const [port, mqttPort] = await freePorts(2);
  env = { DATA_DIR: join(directory, 'data'), PORT: String(port), MQTT_PORT: String(mqttPort) };
  url = `http://127.0.0.1:${port}`;
  writeFileSync(join(directory, 'site.yaml'), FULL_SITE_TEXT);
});
afterAll(() => rmSync(directory, { recursive: true }));

async function run(...args: string[]): Promise<{ code: number | null; output: string }> {
  const program = startProgram('cloud/main.js', args, env);
  const { code } = await program.ended;
  return { code, output: program.output() };
}

describe('parking-cloud', () => {
  it.each([
    ['version', ['version'], 0, /^\d+\.\d+\.\d+\n$/],
    ['help', ['--help'], 0, /token.*API tokens/],
    ['no command', [], 2, /Usage: parking-cloud/],
    ['an unknown command', ['aply'], 2, /^parking-cloud: unknown command 'aply' \(did you mean apply\?\); --help/],
    ['a token command without its verb', ['token'], 2, /create \[options\]/],
    ['a token without an account', ['token', 'create', '--name', 'till'], 2, /required option '--account <name>'/],
    ['a backup to nowhere', ['backup'], 2, /missing required argument 'file'/],
    [
      'a backup of nothing',
      ['backup', 'copy.db'],
      2,
      onPostgres() ? /pg_dump/ : /parking-cloud: there is no database .*data\/cloud\.db/,
    ],
    [
      'a token of nobody',
      ['token', 'create', '--account', 'A', '--name', 'N'],
      2,
      /parking-cloud: there is no account A/,
    ],
    ['a site file that is not there', ['apply', '/none.yaml'], 2, /^parking-cloud: \/none\.yaml: cannot be read/],
    ['an impossible setting', ['migrate', '--config', '/none.env'], 2, /none\.env/],
  ])('ends with the right code for %s', async (_title, args, code, said) => {
    const ended = await run(...args);
    expect(ended.output).toMatch(said);
    expect(ended.code).toBe(code);
  });

  it.each(['cloud/main.js', 'agent/main.js'])('%s reads the .env of its working directory', async (entry) => {
    const cwd = mkdtempSync(join(directory, 'working-'));
    const start = (args: string[], given: Record<string, string>) => startProgram(entry, args, given, [], cwd);
    writeFileSync(join(cwd, '.env'), '# both programs\nLOG_LEVEL=loud\n');
    const args = entry.startsWith('cloud') ? ['migrate'] : ['status'];
    const wrong = start(args, env);
    expect((await wrong.ended).code).toBe(2);
    expect(wrong.output()).toContain('.env:2): "loud" is not allowed; allowed: debug, info, warn, error, silent');
    // The environment goes before the file; another file is read in its place.
    for (const right of [start(args, { ...env, LOG_LEVEL: 'warn' }), start(['--config', '/dev/null', ...args], env)]) {
      await right.ended;
      expect(right.output()).not.toContain('.env');
    }
  });

  it('ends with 1 when something else goes wrong', async () => {
    const database = join(directory, 'no-database');
    writeFileSync(database, 'This is no database, though it is longer than the header of one. '.repeat(50));
    const program = startProgram('cloud/main.js', ['migrate'], { ...env, DATABASE_URL: `sqlite:${database}` });
    expect((await program.ended).code).toBe(1);
    expect(program.output()).toMatch(/^parking-cloud: file is not a database/);
  });

  describe('beside a running cloud', () => {
    let cloud: RunningProgram;

    beforeAll(async () => {
      expect((await run('apply', join(directory, 'site.yaml'))).code).toBe(0);
      cloud = startProgram('cloud/main.js', ['serve'], env);
      await waitUntil('the cloud to answer', async () => (await fetch(`${url}/readyz`)).ok);
    });
    afterAll(() => cloud?.end());

    it('makes a token that is let in at once', async () => {
      const program = startProgram(
        'cloud/main.js',
        ['token', 'create', '--account', 'Harbour Parking', '--name', 'till'],
        env,
      );
      expect((await program.ended).code).toBe(0);
      const [token] = /^[A-Za-z0-9_-]{43}$/m.exec(program.output()) ?? [];
      const headers = { authorization: `Bearer ${token}` };
      expect((await fetchChecked(`${url}/v2/products/1`, { headers })).status).toBe(200);
      const again = await run('token', 'create', '--account', 'Harbour Parking', '--name', 'till');
      expect(again).toMatchObject({ code: 2, output: expect.stringContaining('has an API token till already') });
    });

    // A server has backups of its own.
    it.skipIf(onPostgres())('makes a backup from which a cloud starts', async () => {
      const copy = join(directory, 'copy.db');
      const made = await run('backup', copy);
      expect(made).toMatchObject({ code: 0, output: expect.stringContaining('To restore: into an empty DATA_DIR') });
      expect((await run('backup', copy)).code).toBe(2);

      const restored = join(directory, 'restored');
      mkdirSync(restored);
      cpSync(copy, join(restored, 'cloud.db'));
      cpSync(`${copy}.keys`, join(restored, 'server-keys.json'));
      const [port, mqttPort] = await freePorts(2);
      const ports = { PORT: String(port), MQTT_PORT: String(mqttPort) };
      const second = startProgram('cloud/main.js', ['serve'], { DATA_DIR: restored, ...ports });
      await waitUntil('the restored cloud to answer', async () => (await fetch(`http://127.0.0.1:${port}/readyz`)).ok);
      const login = await fetchChecked(`http://127.0.0.1:${port}/v2/auth/login`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ email: 'ines@harbour.example', password: 'seven gulls at noon' }),
      });
      expect(login.status).toBe(200);
      await second.end();
    });
  });
});

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { IS_LONG } from '../depth.js';
import { fetchChecked } from '../contract/checked-fetch.js';
import { listenRealtime } from '../world/realtime-listener.js';
import { waitUntil } from '../../scripts/sim/wait-until.js';

/** The project's root, from dist/test/deep/. */
const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
/** Where nothing comes compiled, installing compiles the native modules. */
const INSTALLED_WITHIN_MS = 900_000;
const TOKEN = 'demo-integration-token-0123456789abcdef';

describe('the packed test double in an empty folder', () => {
  let folder: string;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'packed-double-'));
    mkdirSync(join(folder, 'tmp'));
    execFileSync('npm', ['run', '--silent', 'pack:sim'], { cwd: ROOT });
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
    writeFileSync(join(folder, 'package.json'), '{"private": true}');
    const install = ['install', '--prefer-offline', '--no-audit', '--no-fund'];
    // The one module that compiles comes compiled from this checkout's set-up, but in the long tier.
    if (!IS_LONG) install.push('--ignore-scripts');
    execFileSync('npm', [...install, join(ROOT, `dist/parking-sim-${version}.tgz`)], { cwd: folder });
    const compiled = 'node_modules/better-sqlite3/build';
    if (!IS_LONG) cpSync(join(ROOT, compiled), join(folder, compiled), { recursive: true });
  }, INSTALLED_WITHIN_MS);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('plays a story and leaves nothing', async () => {
    const site = 'node_modules/parking-sim/example-site.yml';
    const program = spawn('node_modules/.bin/parking-sim', ['serve', '--site', site, '--free-ports', '--json'], {
      cwd: folder,
      env: { PATH: process.env.PATH, TMPDIR: join(folder, 'tmp') },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = once(program, 'exit');
    const [line] = (await once(createInterface(program.stdout), 'line')) as [string];
    const { base_url, control_url } = JSON.parse(line) as { base_url: string; control_url: string };
    const control = (path: string, body: object) =>
      fetch(`${control_url}${path}`, { method: 'POST', body: JSON.stringify(body) });
    const stream = await listenRealtime(base_url, TOKEN);

    expect(await (await control('/cameras/cam-in-1/read', { plate: 'ZG1234AB' })).json()).toEqual({ status: 200 });
    const [created] = await stream.waitFor('session_create');
    await waitUntil('the picture behind its link', async () => {
      const [reading] = stream.of('plate_reading_create');
      return (await fetchChecked(String(reading?.payload.image_url))).ok;
    });
    expect((await control('/clock', { advance_s: 7_200 })).status).toBe(200);
    const headers = { authorization: `Bearer ${TOKEN}` };
    const answer = await fetchChecked(`${base_url}/v2/sessions/${String(created?.payload.id)}`, { headers });
    const { data } = (await answer.json()) as { data: { duration: number } };
    expect(data.duration).toBeGreaterThanOrEqual(7_200);
    expect((await fetch(`${base_url}/docs`)).status).toBe(200);
    expect((await fetch(`${base_url}/docs/guides/parking-sim`)).status).toBe(200);
    await stream.close();

    program.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
    expect(readdirSync(join(folder, 'tmp'))).toEqual([]);
  });
});

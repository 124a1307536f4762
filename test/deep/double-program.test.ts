import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { doubleSite } from '../integration/double/double-bench.js';

const PROGRAM = fileURLToPath(new URL('../../scripts/sim/main.js', import.meta.url));
const README = readFileSync(new URL('../../../scripts/sim/double/README.md', import.meta.url), 'utf8');

/** The code blocks of the page in a language. */
const snippets = (language: string) =>
  [...README.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].flatMap(([, of, text = '']) => (of === language ? [text] : []));

interface Ready {
  pid: number;
  base_url: string;
  control_url: string;
  api_tokens: { token: string }[];
}

describe('parking-sim serve', () => {
  let folder: string;
  let child: ChildProcess | undefined;
  let output: { out: string; err: string };

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'double-program-'));
    mkdirSync(join(folder, 'tmp'));
    writeFileSync(join(folder, 'parking.yml'), doubleSite());
  });
  afterEach(() => {
    child?.kill('SIGKILL');
    child = undefined;
    rmSync(folder, { recursive: true });
  });

  function run(...more: string[]): ChildProcess {
    output = { out: '', err: '' };
    const args = [PROGRAM, 'serve', '--site', 'parking.yml', '--free-ports', ...more];
    const env = { PATH: process.env.PATH, TMPDIR: join(folder, 'tmp') };
    const started = spawn(process.execPath, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
    started.stdout.on('data', (chunk) => (output.out += chunk));
    started.stderr.on('data', (chunk) => (output.err += chunk));
    child = started;
    return started;
  }
  const ended = async (program: ChildProcess) => (await once(program, 'close'))[0] as number | null;
  /** A command of this name stands where an installed package has it. */
  const installShim = () => {
    mkdirSync(join(folder, 'node_modules/.bin'), { recursive: true });
    const shim = join(folder, 'node_modules/.bin/parking-sim');
    writeFileSync(shim, `#!/bin/sh\nTMPDIR=${join(folder, 'tmp')} exec ${process.execPath} ${PROGRAM} "$@"\n`);
    chmodSync(shim, 0o755);
  };

  it('says in one line where it is, works, and leaves nothing after SIGTERM', async () => {
    const program = run('--json', '--now', '2027-03-01T08:00:00Z');
    await expect.poll(() => output.out).toContain('\n');
    expect(output.out.split('\n')).toHaveLength(2);
    const ready = JSON.parse(output.out) as Ready;
    expect(ready).toMatchObject({ ready: true, pid: program.pid, made: [] });
    const authorization = `Bearer ${ready.api_tokens[0]?.token}`;
    expect((await fetch(`${ready.base_url}/v2/lots`, { headers: { authorization } })).status).toBe(200);
    expect(await (await fetch(`${ready.control_url}/clock`)).json()).toMatchObject({
      now: expect.stringMatching(/^2027-03-01T08:/),
    });
    program.kill('SIGTERM');
    expect(await ended(program)).toBe(0);
    expect(readdirSync(join(folder, 'tmp'))).toEqual([]);
    expect(output.err).toBe('');
  });

  it('tells people where it is, and stops on Ctrl-C, even while it starts', async () => {
    const program = run();
    await expect.poll(() => readdirSync(join(folder, 'tmp'))).not.toEqual([]);
    program.kill('SIGINT');
    expect(await ended(program)).toBe(0);
    expect(output.out).toMatch(/^Ready\.\n {2}REST .*\/v2 /);
    expect(readdirSync(join(folder, 'tmp'))).toEqual([]);
  });

  it('tells where a site file is wrong, and leaves nothing', async () => {
    const text = doubleSite().replace('type: gate', 'type: door').replace('step_minutes: 60', 'step_minutes: 0');
    writeFileSync(join(folder, 'parking.yml'), text);
    expect(await ended(run())).toBe(2);
    const lines = output.err.trimEnd().split('\n');
    expect(lines).toHaveLength(2);
    for (const line of lines) expect(line).toMatch(/^parking-sim: parking\.yml:\d+: /);
    expect(readdirSync(join(folder, 'tmp'))).toEqual([]);
  });

  it.each([
    [['--port', '70000'], 2, 'from 0 to 65535'],
    [['--site', 'none.yaml'], 2, 'cannot be read'],
    [['--host', '192.0.2.1'], 2, 'whoever reaches 192.0.2.1 could move products'],
    [['--host', '192.0.2.1', '--control-token', 'a token of sixteen or more'], 1, 'cannot listen on 192.0.2.1'],
  ])('refuses %j with exit code %i', async (args, code, reason) => {
    expect(await ended(run(...args))).toBe(code);
    expect(output.err).toContain(reason);
  });

  it('starts in vitest as its page shows', async () => {
    const [setup = ''] = snippets('js');
    expect(setup.trimEnd().split('\n').length).toBeLessThanOrEqual(15);
    installShim();
    const before = { ...process.env };
    const file = join(folder, 'setup.mjs');
    // A test's process has one working directory; the program gets its own.
    writeFileSync(file, setup.replace("stdio: ['ignore'", `cwd: ${JSON.stringify(folder)}, stdio: ['ignore'`));
    const { default: start } = (await import(pathToFileURL(file).href)) as {
      default(): Promise<() => Promise<unknown>>;
    };
    const stop = await start();
    expect((await fetch(`${process.env.PARKING_URL}/healthz`)).status).toBe(200);
    expect((await fetch(`${process.env.PARKING_CONTROL_URL}/clock`)).status).toBe(200);
    await stop();
    await expect(fetch(`${process.env.PARKING_URL}/healthz`)).rejects.toThrow();
    process.env = before;
  });

  it('starts in CI as its page shows', async () => {
    const [github, gitlab] = snippets('yaml').map((text) => parse(text) as unknown);
    const start = (github as { steps: { name?: string; run: string }[] }).steps.find(({ name }) => name !== undefined);
    const script = (gitlab as { test: { before_script: string[] } }).test.before_script.slice(1).join('\n');
    installShim();
    // GitHub's shell stops at the first failure; what starts in it outlives the step.
    for (const commands of [`${start?.run}cat "$GITHUB_ENV"`, `${script}\nenv`]) {
      rmSync(join(folder, 'parking.json'), { force: true });
      const env = { PATH: process.env.PATH, GITHUB_ENV: join(folder, 'github-env') };
      const shell = spawn('bash', ['-e', '-c', commands], { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] });
      let printed = '';
      shell.stdout.on('data', (chunk) => (printed += chunk));
      const [code] = (await once(shell, 'exit')) as [number];
      expect(code).toBe(0);
      const { pid, base_url, control_url } = JSON.parse(readFileSync(join(folder, 'parking.json'), 'utf8')) as Ready;
      expect(printed).toContain(`PARKING_URL=${base_url}\n`);
      expect(printed).toContain(`PARKING_CONTROL_URL=${control_url}\n`);
      expect((await fetch(`${base_url}/healthz`)).status).toBe(200);
      process.kill(pid, 'SIGTERM');
      await expect.poll(() => readdirSync(join(folder, 'tmp'))).toEqual([]);
    }
  });
});

/** `parking-agent doctor` on a device on which `run` would meet something: its port, its disk, its past. And its manners at a shell. */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createHttp } from 'node:http';
import { createServer as createTcp, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { makeIdentity, openIdentity } from '../../agent/commissioning/identity.js';
import { doctorReportSchema } from '../../shared/doctor/report.js';
import { freePorts } from '../world/free-ports.js';
import { startProgram } from '../world/programs.js';

const AGENT = fileURLToPath(new URL('../../agent/main.js', import.meta.url));
const isRoot = process.getuid?.() === 0;

let scratch: string;
const servers: Server[] = [];
const mounts: string[] = [];

beforeAll(() => {
  scratch = mkdtempSync(join(tmpdir(), 'doctor-device-'));
});
afterEach(async () => {
  for (const path of mounts.splice(0)) execFileSync('umount', [path]);
  for (const server of servers.splice(0)) await new Promise((resolve) => server.close(resolve));
});
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const folder = (name: string) => {
  const path = join(scratch, name);
  mkdirSync(path);
  return path;
};

async function listening(server: Server): Promise<string> {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return String((server.address() as { port: number }).port);
}

async function doctor(env: Record<string, string>) {
  const program = startProgram('agent/main.js', ['doctor', '--json'], env);
  const { code } = await program.ended;
  const { findings } = doctorReportSchema.parse(JSON.parse(program.output()));
  const people = startProgram('agent/main.js', ['doctor'], env);
  await people.ended;
  process.stdout.write(`--- ${expect.getState().currentTestName}\n${people.output()}\n`);
  return { code, find: (id: string) => findings.find((each) => each.id === id), ids: findings.map(({ id }) => id) };
}

describe('its port', () => {
  it('is held by another program, which is named; that it does not run follows', async () => {
    const port = await listening(createTcp((socket) => socket.destroy()));
    const { code, find } = await doctor({ AGENT_DATA_DIR: folder('port'), AGENT_HTTP_PORT: port });
    expect(code).toBe(1);
    const { facts } = find('gateway.port_taken') ?? {};
    expect(facts).toEqual({ port: Number(port), program: expect.stringContaining(`(${process.pid})`) });
    expect(find('gateway.not_running')?.follows).toEqual({ id: 'gateway.port_taken', about: null });
  });

  it('is held by another service, which answers', async () => {
    const port = await listening(createHttp((_request, response) => response.writeHead(404).end()));
    const { find, ids } = await doctor({ AGENT_DATA_DIR: folder('service'), AGENT_HTTP_PORT: port });
    expect(find('gateway.port_taken')?.facts['program']).toContain(`(${process.pid})`);
    expect(ids).not.toContain('gateway.not_asked');
  });

  it('cannot be had, in the words of run', async () => {
    const env = { AGENT_DATA_DIR: folder('address'), AGENT_HTTP_HOST: '203.0.113.9' };
    const { find } = await doctor(env);
    const run = startProgram('agent/main.js', ['run'], env);
    await run.ended;
    const { problem } = find('gateway.port_refused')?.facts ?? {};
    expect(problem).toContain('AGENT_HTTP_HOST');
    expect(run.output()).toContain(problem);
  });
});

describe('its past', () => {
  it.each(['deleted', 'replaced', 'reset'] as const)('is that of a gateway that was %s, and when', async (why) => {
    const directory = folder(why);
    makeIdentity(join(directory, 'identity.json'), { why, at_ms: Date.UTC(2026, 10, 28, 10, 12) });
    const { find, ids } = await doctor({ AGENT_DATA_DIR: directory, AGENT_HTTP_PORT: '1' });
    expect(find(`gateway.${why}`)?.facts).toEqual({ time: '2026-11-28 10:12 UTC' });
    expect(ids).not.toContain('gateway.unclaimed');
  });
});

describe.runIf(isRoot)('its disk', () => {
  const mounted = (name: string, options: string) => {
    const path = folder(name);
    execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', path]);
    mounts.push(path);
    return path;
  };

  it('has room, but takes no more files', async () => {
    const path = mounted('inodes', 'size=200m,nr_inodes=40');
    for (let at = 0; at < 30; at++) writeFileSync(join(path, String(at)), '');
    const { find } = await doctor({ AGENT_DATA_DIR: path, AGENT_HTTP_PORT: '1' });
    expect(find('disk.no_inodes')?.facts['free']).toBeLessThan(20);
  });

  it('is full', async () => {
    const path = mounted('full', 'size=1m');
    const { ids } = await doctor({ AGENT_DATA_DIR: path, AGENT_HTTP_PORT: '1' });
    expect(ids).toContain('disk.full');
  });

  it('is read-only', async () => {
    const path = mounted('read-only', 'size=100m,ro');
    const { ids } = await doctor({ AGENT_DATA_DIR: path, AGENT_HTTP_PORT: '1' });
    expect(ids).toContain('disk.read_only');
  });
});

describe('at a shell', () => {
  const shell = (script: string) => {
    const env = {
      PATH: process.env.PATH,
      AGENT_DATA_DIR: join(scratch, 'shell'),
      AGENT_HTTP_PORT: '1',
      NODE: process.execPath,
      AGENT,
    };
    return spawnSync('sh', ['-c', script], { env, encoding: 'utf8', cwd: scratch });
  };

  it('fails with one line where its output takes no more', () => {
    for (const words of ['doctor', 'doctor --json', 'version']) {
      const { status, stderr } = shell(`"$NODE" "$AGENT" ${words} > /dev/full`);
      expect([words, status]).toEqual([words, 1]);
      expect(stderr).toMatch(/^parking-agent: the output takes no more: .*ENOSPC.*\n$/);
    }
  });

  it('ends quietly where nobody reads on', () => {
    const { stdout, stderr } = shell(`"$NODE" "$AGENT" doctor | head -1`);
    expect(stdout.trim().split('\n')).toHaveLength(1);
    expect(stderr).toBe('');
  });

  it('ends quietly where nobody reads on what it watches', async () => {
    const [port = 0] = await freePorts(1);
    const env = { AGENT_DATA_DIR: folder('watched'), AGENT_HTTP_PORT: String(port), BLE_HCI: 'off' };
    const gateway = startProgram('agent/main.js', ['run'], env);
    try {
      const status = () =>
        fetch(`http://127.0.0.1:${port}/status`).then(
          ({ ok }) => ok,
          () => false,
        );
      await expect.poll(status, { timeout: 20_000 }).toBe(true);
      const watching = spawn('sh', ['-c', `"$NODE" "$AGENT" queue --watch --json | head -1`], {
        env: { PATH: process.env.PATH, ...env, NODE: process.execPath, AGENT },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      const errors: string[] = [];
      watching.stderr.on('data', (chunk) => errors.push(String(chunk)));
      // The pipe is written to again with the next change alone.
      const ended = new Promise((resolve) => watching.once('close', resolve));
      await gateway.end();
      await ended;
      expect(errors.join('')).not.toMatch(/EPIPE|at .*:\d+:\d+/);
    } finally {
      await gateway.end();
    }
  });
});

it('reads nothing but what it says: the identity stays as it was', async () => {
  const directory = folder('untouched');
  const file = join(directory, 'identity.json');
  openIdentity(file);
  const before = readFileSync(file, 'utf8');
  await doctor({ AGENT_DATA_DIR: directory, AGENT_HTTP_PORT: '1' });
  expect(readFileSync(file, 'utf8')).toBe(before);
});

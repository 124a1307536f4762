/**
 * `scripts/cluster`: one command starts several clouds with database, brokers and load balancer; any cloud may die, gateways and terminals find
 * the others; Ctrl-C ends all of it.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { MqttClient } from 'mqtt';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fleetSiteText } from '../../scripts/fleet/fleet-site.js';
import { findPostgres, findProgram } from '../../scripts/machines/find-programs.js';
import { removePostgres } from '../../scripts/machines/cluster-postgres.js';
import { fetchChecked } from '../contract/checked-fetch.js';
import { printsFaults } from '../faults/fault-table.js';
import { connectTerminal, generateTerminalKey, type TerminalKey } from '../integration/terminal/terminal-device.js';
import { freePorts } from '../world/free-ports.js';
import { startProgram } from '../world/programs.js';
import { waitUntil } from '../../scripts/sim/wait-until.js';

/** The project's root, from dist/test/deep/. */
const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const API_TOKEN = 'demo-integration-token-0123456789abcdef';
const TABLE_END = 'Ctrl-C stops all of it';
const START_WITHIN_MS = 120_000;
const GATEWAYS = 20;

const isThere = findPostgres() !== null && findProgram('nats-server') !== null && findProgram('haproxy') !== null;
if (!isThere && process.env['CI'] !== undefined)
  throw new Error('scripts/setup --test installs what scripts/cluster needs');

describe.runIf(isThere)('cluster story', () => {
  const faults = printsFaults('Faults of a cluster');
  let directory: string;
  let ports: number[];
  let url: string;
  let cluster: ChildProcess | undefined;
  let output = '';
  beforeAll(async () => {
    ports = await freePorts(3);
    url = `http://127.0.0.1:${ports[0]}`;
    directory = mkdtempSync(join(tmpdir(), 'cluster-'));
    for (const name of ['dist', 'scripts']) symlinkSync(join(ROOT, name), join(directory, name));
  });
  afterAll(async () => {
    for (const { client } of terminals) client.end(true);
    await stop();
    removePostgres(join(directory, '.data', 'cluster'));
    rmSync(directory, { recursive: true, force: true });
  });

  const begin = () => {
    output = '';
    const env = {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      PORT: String(ports[0]),
      MQTT_PORT: String(ports[1]),
      TERMINAL_PORT: String(ports[2]),
    };
    const child = spawn(process.execPath, ['dist/scripts/start-cluster.js'], { cwd: directory, env, stdio: 'pipe' });
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => void (output += String(text)));
    cluster = child;
    return child;
  };
  async function start(): Promise<void> {
    const child = begin();
    const isUp = () => child.exitCode !== null || output.includes(TABLE_END);
    await waitUntil('the table', isUp, START_WITHIN_MS);
    expect(output).toContain(TABLE_END);
  }
  async function stop(): Promise<void> {
    if (cluster === undefined || cluster.exitCode !== null) return;
    const ended = once(cluster, 'exit');
    cluster.kill('SIGINT');
    await ended;
  }
  /** The process of a program, by the table. */
  const pidOf = (name: string): number =>
    Number(new RegExp(`^  ${name} .*\\(process (\\d+)\\)`, 'm').exec(output)?.[1] ?? Number.NaN);
  const isRunning = (pid: number): boolean => {
    try {
      // Zombies are nobody's: the parent has not looked yet.
      return !/^State:\tZ/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
    } catch {
      return false;
    }
  };
  const ask = (path: string, posted?: object) => {
    const headers = { authorization: `Bearer ${API_TOKEN}`, 'content-type': 'application/json' };
    const body = posted === undefined ? {} : { method: 'POST', body: JSON.stringify(posted) };
    return fetchChecked(`${url}${path}`, { headers, ...body });
  };
  const terminals: { key: TerminalKey; client: MqttClient }[] = [];
  const letIn = (key: TerminalKey) => connectTerminal(ports[2] ?? 0, key);
  /** One at each cloud, as the load balancer leads them; any cloud registers them. */
  async function addTerminals(): Promise<void> {
    for (const number of [1, 2]) {
      const key = generateTerminalKey();
      terminals.push({ key, client: await letIn(key) });
      const names = { device_id: `term-${number}`, mac: `02:00:00:00:00:0${number}` };
      const answer = await ask('/v2/terminals', { ...names, public_key: key.publicKey, type: 'pof', is_master: false });
      expect(answer.status, await answer.text()).toBe(200);
    }
  }
  const terminalStatuses = async () => {
    const { data } = (await (await ask('/v2/terminals')).json()) as { data: { status: string }[] };
    return data.map(({ status }) => status);
  };
  /** Those that their cloud's death has cut off connect anew, and all are online. */
  async function bringBackTerminals(): Promise<void> {
    const cut = () => terminals.filter(({ client }) => !client.connected);
    await waitUntil('a terminal to be cut off', () => cut().length > 0);
    expect(cut()).toHaveLength(1);
    for (const terminal of cut()) {
      await waitUntil('a way in to another cloud', async () => {
        // Until the load balancer has seen the death, it leads there.
        const client = await letIn(terminal.key).catch(() => null);
        if (client !== null) terminal.client = client;
        return client !== null;
      });
    }
    await waitUntil('the terminals to be online', async () => String(await terminalStatuses()) === 'online,online');
  }

  it('starts, serves gateways while a cloud and a broker die, and ends on Ctrl-C', { timeout: 600_000 }, async () => {
    await start();
    expect((await ask('/v2/lots')).status).toBe(200);
    expect((await fetch(`${url}/metrics`)).status).toBe(404);

    await addTerminals();
    expect(await terminalStatuses()).toEqual(['online', 'online']);

    // What the table says of a hundred gateways, with a few.
    const dataDir = join(directory, '.data', 'cluster');
    const site = join(dataDir, 'fleet.yaml');
    writeFileSync(site, fleetSiteText(GATEWAYS));
    const database = /DATABASE_URL=(\S+)/.exec(output)?.[1] ?? '';
    const env = { DATA_DIR: join(dataDir, 'cloud'), DATABASE_URL: database };
    const applied = startProgram('cloud/main.js', ['apply', site], env);
    expect(await applied.ended, applied.output()).toMatchObject({ code: 0 });
    const places = ['--cloud', url, '--site', site, '--state', join(dataDir, 'fleet')];
    const fleet = startProgram('scripts/simulate-fleet.js', ['run', ...places, '--rate', '20', '--seconds', '20'], {});
    await waitUntil('records', () => /[1-9]\d* acknowledged/.test(fleet.output()));
    const saw = faults.row(
      `a cloud process and a node of the broker killed, while ${GATEWAYS} gateways send and terminals are there`,
      'no record lost, none twice, all back by themselves',
    );
    const cloud = pidOf('cloud-1');
    process.kill(cloud, 'SIGKILL');
    process.kill(pidOf('nats-3'), 'SIGKILL');
    await waitUntil('the death to be seen', () => !isRunning(cloud));
    await waitUntil('the other cloud to serve', async () => (await ask('/v2/lots')).ok);
    await bringBackTerminals();
    const { code } = await fleet.ended;
    expect(code, `${fleet.output()}\n${output}`).toBe(0);
    const reported = ['records', 'lost', 'twice'].map(
      (row) => new RegExp(`^${row} .*$`, 'm').exec(fleet.output())?.[0],
    );
    saw(reported.join('; ').replaceAll(/ +/g, ' '));

    const others = ['cloud-2', 'nats-1', 'nats-2', 'PostgreSQL'].map(pidOf);
    expect(others.filter((pid) => !isRunning(pid))).toEqual([]);
    await stop();
    expect(output).toContain('All stopped.');
    expect(others.filter(isRunning)).toEqual([]);
    await expect(fetch(url)).rejects.toThrow();

    await start();
    expect(output).toContain('Going on with the state');
    expect((await ask('/v2/lots')).status).toBe(200);
    await stop();
  });
});

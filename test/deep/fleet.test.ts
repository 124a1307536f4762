import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fleetSiteText } from '../../scripts/fleet/fleet-site.js';
import { freePorts } from '../world/free-ports.js';
import { type RunningProgram, startProgram } from '../world/programs.js';
import { waitUntil } from '../../scripts/sim/wait-until.js';

const GATEWAYS = 50;

interface Report {
  gateways: { claimed: number; connected: number; reconnects: number };
  records: { written: number; acknowledged: number };
  lost: { rest: number; realtime: number };
  twice: { rest: number; realtime: number };
  problems: string[];
  ok: boolean;
}

describe('a simulated fleet', () => {
  let directory: string;
  let env: Record<string, string>;
  let url: string;
  let cloud: RunningProgram;
  let fleet: RunningProgram | undefined;

  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'fleet-'));
    const [port, mqttPort] = await freePorts(2);
    env = { DATA_DIR: join(directory, 'data'), PORT: String(port), MQTT_PORT: String(mqttPort), LOG_LEVEL: 'warn' };
    url = `http://127.0.0.1:${port}`;
    writeFileSync(join(directory, 'fleet.yaml'), fleetSiteText(GATEWAYS));
    const applied = startProgram('cloud/main.js', ['apply', join(directory, 'fleet.yaml')], env);
    expect(await applied.ended).toMatchObject({ code: 0 });
    await startCloud();
  });
  afterEach(async () => {
    await fleet?.end();
    await cloud?.end();
    rmSync(directory, { recursive: true, force: true });
  });

  async function startCloud(): Promise<void> {
    cloud = startProgram('cloud/main.js', ['serve'], env);
    await waitUntil('the cloud to answer', async () => (await fetch(`${url}/readyz`)).ok);
  }

  function startFleet(...options: string[]): RunningProgram {
    const files = ['--site', join(directory, 'fleet.yaml'), '--state', join(directory, 'state')];
    fleet = startProgram('scripts/simulate-fleet.js', ['run', '--cloud', url, ...files, '--json', ...options], {});
    return fleet;
  }

  async function reportOf(program: RunningProgram): Promise<Report> {
    await program.ended;
    const line = program
      .output()
      .split('\n')
      .find((each) => each.startsWith('{'));
    expect(line, program.output()).toBeDefined();
    return JSON.parse(line ?? '') as Report;
  }

  it('is claimed once, connects, and each of its records arrives once', async () => {
    for (const [rate, written] of [
      [100, 300],
      [40, 120],
    ] as const) {
      const program = startFleet('--rate', String(rate), '--seconds', '3');
      expect(await reportOf(program)).toMatchObject({
        gateways: { claimed: GATEWAYS, connected: GATEWAYS, reconnects: 0 },
        records: { written, acknowledged: written },
        lost: { rest: 0, realtime: 0 },
        twice: { rest: 0, realtime: 0 },
        problems: [],
        ok: true,
      });
      expect(await program.ended).toMatchObject({ code: 0 });
    }
  });

  it('loses nothing when its cloud is killed and comes back, and counts nothing twice', async () => {
    const program = startFleet('--rate', '50', '--seconds', '12', '--patience', '90');
    await waitUntil('records to be acknowledged', () => / [1-9]\d* acknowledged/.test(program.output()));
    await cloud.end('SIGKILL');
    await startCloud();
    const report = await reportOf(program);
    expect(report).toMatchObject({
      records: { written: 600, acknowledged: 600 },
      lost: { rest: 0, realtime: 0 },
      twice: { rest: 0, realtime: 0 },
      ok: true,
    });
    expect(report.gateways.reconnects).toBeGreaterThanOrEqual(GATEWAYS);
  });

  it.each([
    ['a file that is not there', ['--site', '/none.yaml'], 2, /none\.yaml cannot be read/],
    ['more gateways than the file has', ['--gateways', '51'], 2, /has 50 gateways with claim codes, not 51/],
    ['an address that is none', ['--cloud', 'cloud'], 2, /--cloud cloud: an address begins with/],
    ['a rate that is none', ['--rate', '0'], 2, /It is a number above 0/],
    ['a token that nobody has', ['--token', 'x'.repeat(40)], 1, /^simulate-fleet: /],
  ])('says what is wrong with %s', async (_title, options, code, line) => {
    const program = startFleet(...options);
    expect(await program.ended).toMatchObject({ code });
    expect(program.output()).toMatch(line);
  });
});

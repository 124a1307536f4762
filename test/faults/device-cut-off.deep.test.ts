/**
 * A device whose claim or erasure is cut off between any two steps, or in the middle of one: it is what it was or what it becomes, and
 * works. The real program runs once on a disk that is traced; each state on the way is then started anew.
 */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findIdentity, openIdentity } from '../../agent/commissioning/identity.js';
import { openDevice } from '../../agent/commissioning/data-erasure.js';
import { loadAgentConfig } from '../../agent/config.js';
import { connectDevice } from '../../agent/device-process.js';
import { recordsIn } from '../../agent/store/count-waiting.js';
import { openSqliteAgentStore } from '../../agent/store/sqlite-agent-store.js';
import { silentLogger } from '../../shared/logger.js';
import { waitUntil } from '../../scripts/sim/wait-until.js';
import { type ClaimServer, startClaimServer } from '../unit/agent-commissioning/claim-server.js';
import { sightingEntry } from '../world/agent-records.js';
import { freePorts } from '../world/free-ports.js';
import { startProgram } from '../world/programs.js';
import { type CutOff, cutOffs, type Files, filesOf, putBack } from './cut-offs.js';
import { buildDiskShim, hasCompiler, readTrace } from './disk-shim.js';

const PLATE = 'ZG1234AB';
const NAME = 'Entrance Pi';
const REGISTERED = '0d3c2a54-5a1f-4b7e-9a51-3f1f6f0b7c01';
const MEMBERSHIP = {
  url: 'http://127.0.0.1:1',
  mqtt: { url: 'mqtt://127.0.0.1:1', username: REGISTERED, password: 'mqtt-secret', ca: null },
};

let directory: string;
let disk: string;
let shim: string;
let port: number;
let server: ClaimServer | undefined;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'device-cut-off-'));
  disk = join(directory, 'disk');
  mkdirSync(disk);
  shim = buildDiskShim(directory);
  [port = 0] = await freePorts(1);
});
afterEach(async () => {
  await server?.close();
  server = undefined;
  rmSync(directory, { recursive: true, force: true });
});

const environment = (more: Record<string, string> = {}) => ({
  AGENT_DATA_DIR: join(disk, 'data'),
  AGENT_HTTP_PORT: String(port),
  BLE_HCI: 'off',
  ...more,
});
const configOf = (more?: Record<string, string>) => loadAgentConfig({ environment: environment(more) });
const identityFile = () => join(disk, 'data', 'identity.json');

/** Runs a program on the traced disk until it ends, or until `isDone`. */
async function traced(args: string[], of: { env?: Record<string, string>; act?: () => Promise<unknown> }) {
  const before = filesOf(disk);
  const trace = join(directory, 'trace');
  const program = startProgram('agent/main.js', args, {
    ...environment(of.env),
    LD_PRELOAD: shim,
    SHIM_DIR: disk,
    SHIM_TRACE: trace,
  });
  if (of.act === undefined) expect(await program.ended, program.output()).toMatchObject({ code: 0 });
  else {
    await of.act().finally(() => program.end('SIGKILL'));
  }
  return cutOffs(before, readTrace(trace), /agent\.db/);
}

/** Starts each state anew, and says how many were the old one and the new one. */
async function startEach(
  states: Iterable<CutOff>,
  look: (files: Files) => Promise<string>,
): Promise<Record<string, number>> {
  const seen: Record<string, number> = {};
  for (const { at, files } of states) {
    putBack(disk, files);
    const state = await look(files).catch((error: unknown) => {
      throw new Error(`cut off ${at}`, { cause: error });
    });
    seen[state] = (seen[state] ?? 0) + 1;
  }
  process.stdout.write(`${expect.getState().currentTestName}: ${JSON.stringify(seen)}\n`);
  return seen;
}

/** What every start does, in its order. */
async function startAnew(more?: Record<string, string>) {
  const config = configOf(more);
  findIdentity(config.identityFile);
  const device = await connectDevice(config, { logger: silentLogger });
  const identity = await openDevice(config, { logger: silentLogger });
  const store = await openSqliteAgentStore({ path: config.databaseFile, logger: silentLogger });
  const { quarantined } = store.health;
  const pending = recordsIn(await store.outboxState());
  await store.close();
  const halves = [...filesOf(disk).keys()].filter((path) => path.endsWith('.new'));
  expect({ quarantined, halves }).toEqual({ quarantined: null, halves: [] });
  return { device, identity, pending };
}

const hasText = (files: Files, text: string) => [...files.values()].some((content) => content.includes(text));

async function makeClaimed(): Promise<string> {
  const { databaseFile, quarantineDir, cameraSetupDir } = configOf();
  const { publicKey } = openIdentity(identityFile()).joined(MEMBERSHIP);
  for (const folder of [quarantineDir, cameraSetupDir]) {
    mkdirSync(folder);
    writeFileSync(join(folder, 'a.json'), JSON.stringify({ PLATE, NAME }));
  }
  const store = await openSqliteAgentStore({ path: databaseFile, logger: silentLogger });
  await store.append(sightingEntry());
  await store.close();
  return publicKey;
}

describe.runIf(hasCompiler())('a device that is cut off at any step', () => {
  async function expectOldOrErased(states: Iterable<CutOff>, publicKey: string): Promise<void> {
    const seen = await startEach(states, async () => {
      const { identity, pending } = await startAnew();
      if (identity.publicKey === publicKey) {
        expect(identity).toMatchObject({ uuid: REGISTERED, cloud: MEMBERSHIP });
        expect(pending).toBe(1);
        expect(hasText(filesOf(join(disk, 'data', 'quarantine')), PLATE)).toBe(true);
        return 'old';
      }
      expect(identity).toMatchObject({ cloud: null, former: { why: 'reset' } });
      for (const text of [PLATE, NAME, 'mqtt-secret']) expect(hasText(filesOf(disk), text)).toBe(false);
      return 'erased';
    });
    expect(Object.keys(seen).sort()).toEqual(['erased', 'old']);
  }

  it('by a reset without a gateway is as it was, or erased', async () => {
    const publicKey = await makeClaimed();
    await expectOldOrErased(await traced(['reset', '--yes', '--confirm', REGISTERED], {}), publicKey);
  }, 60_000);

  it('by a reset of its running gateway is as it was, or erased', async () => {
    const publicKey = await makeClaimed();
    const states = await traced(['run'], {
      async act() {
        const url = `http://127.0.0.1:${port}`;
        const status = async () => (await (await fetch(`${url}/status`)).json()) as { claim: { former: unknown } };
        await waitUntil('it to be at work', () =>
          status().then(
            () => true,
            () => false,
          ),
        );
        const headers = { 'content-type': 'application/json' };
        await fetch(`${url}/reset`, { method: 'POST', headers, body: JSON.stringify({ confirm: REGISTERED }) });
        await waitUntil('it to be erased', async () => (await status()).claim.former !== null);
      },
    });
    await expectOldOrErased(states, publicKey);
  }, 120_000);

  it('by a claim is unclaimed as before, or claimed', async () => {
    const { publicKey, deviceCode } = openIdentity(identityFile());
    server = await startClaimServer({
      status: 200,
      body: { success: true, data: { mqtt: MEMBERSHIP.mqtt, config: [] } },
    });
    const states = await traced(['claim', '--cloud', server.url, '--code', 'HARBOUR-NORTH-0001'], {});
    const seen = await startEach(states, async () => {
      const { identity } = await startAnew();
      expect(identity.publicKey).toBe(publicKey);
      if (identity.cloud === null) {
        expect(identity.deviceCode).toBe(deviceCode);
        return 'old';
      }
      expect(identity).toMatchObject({
        uuid: REGISTERED,
        cloud: { ...MEMBERSHIP, url: server?.url },
        deviceCode: null,
      });
      return 'claimed';
    });
    expect(Object.keys(seen).sort()).toEqual(['claimed', 'old']);
  }, 60_000);

  it('by the claim of its claim file is unclaimed and has it, or is claimed and erases it', async () => {
    const { publicKey } = openIdentity(identityFile());
    server = await startClaimServer({
      status: 200,
      body: { success: true, data: { mqtt: MEMBERSHIP.mqtt, config: [] } },
    });
    const CLAIM_FILE = join(disk, 'boot', 'claim.json');
    mkdirSync(join(disk, 'boot'));
    const code = 'HARBOUR-NORTH-0001';
    writeFileSync(CLAIM_FILE, JSON.stringify({ cloud_url: server.url, claim_code: code }));
    const states = await traced(['run'], {
      env: { CLAIM_FILE },
      act: () =>
        waitUntil(
          'the claim file to be erased',
          () => readdirSync(join(disk, 'data')).includes('agent.db') && !existsSync(CLAIM_FILE),
        ),
    });
    const seen = await startEach(states, async () => {
      const { device, identity } = await startAnew({ CLAIM_FILE });
      expect(identity.publicKey).toBe(publicKey);
      let claim: unknown;
      await device.start(async (config) => {
        ({ claim } = config);
        return { status: () => Promise.reject(new Error('nobody asks')), joined: new Promise(() => undefined) };
      });
      if (identity.cloud === null) {
        expect(claim).toEqual({ cloudUrl: server?.url, code });
        return 'old';
      }
      expect([claim, existsSync(CLAIM_FILE), hasText(filesOf(disk), code)]).toEqual([null, false, false]);
      return 'claimed';
    });
    expect(Object.keys(seen).sort()).toEqual(['claimed', 'old']);
  }, 120_000);
});

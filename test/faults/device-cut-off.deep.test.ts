/**
 * A device whose claim or erasure is cut off between any two steps, or in the middle of one: it is what it was or what it becomes, and
 * works. The real program runs once on a disk that is traced; each state on the way is then started anew.
 */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openIdentity } from '../../agent/commissioning/identity.js';
import { openSqliteAgentStore } from '../../agent/store/sqlite-agent-store.js';
import { silentLogger } from '../../shared/logger.js';
import { waitUntil } from '../../scripts/sim/wait-until.js';
import { type ClaimServer, startClaimServer } from '../unit/agent-commissioning/claim-server.js';
import { sightingEntry } from '../world/agent-records.js';
import { freePorts } from '../world/free-ports.js';
import { createCutDevice, type CutDevice, hasText } from './cut-device.js';
import { type CutOff, filesOf } from './cut-offs.js';
import { hasCompiler } from './disk-shim.js';

const PLATE = 'ZG1234AB';
const NAME = 'Entrance Pi';
const REGISTERED = '0d3c2a54-5a1f-4b7e-9a51-3f1f6f0b7c01';
const MEMBERSHIP = {
  url: 'http://127.0.0.1:1',
  mqtt: { url: 'mqtt://127.0.0.1:1', username: REGISTERED, password: 'mqtt-secret', ca: null },
};

let directory: string;
let port: number;
let device: CutDevice;
let server: ClaimServer | undefined;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'device-cut-off-'));
  [port = 0] = await freePorts(1);
  device = createCutDevice(directory, port);
});
afterEach(async () => {
  await server?.close();
  server = undefined;
  rmSync(directory, { recursive: true, force: true });
});

async function makeClaimed(): Promise<string> {
  const { databaseFile, quarantineDir, cameraSetupDir } = device.configOf();
  const { publicKey } = openIdentity(device.identityFile).joined(MEMBERSHIP);
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
    const seen = await device.startEach(states, async () => {
      const { identity, pending } = await device.startAnew();
      if (identity.publicKey === publicKey) {
        expect(identity).toMatchObject({ uuid: REGISTERED, cloud: MEMBERSHIP });
        expect(pending).toBe(1);
        expect(hasText(filesOf(join(device.disk, 'data', 'quarantine')), PLATE)).toBe(true);
        return 'old';
      }
      expect(identity).toMatchObject({ cloud: null, former: { why: 'reset' } });
      for (const text of [PLATE, NAME, 'mqtt-secret']) expect(hasText(filesOf(device.disk), text)).toBe(false);
      return 'erased';
    });
    expect(Object.keys(seen).sort()).toEqual(['erased', 'old']);
  }

  it('by a reset without a gateway is as it was, or erased', async () => {
    const publicKey = await makeClaimed();
    await expectOldOrErased(await device.traced(['reset', '--yes', '--confirm', REGISTERED], {}), publicKey);
  }, 600_000);

  it('by a reset of its running gateway is as it was, or erased', async () => {
    const publicKey = await makeClaimed();
    const states = await device.traced(['run'], {
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
  }, 600_000);

  it('by a claim is unclaimed as before, or claimed', async () => {
    const { publicKey, deviceCode } = openIdentity(device.identityFile);
    server = await startClaimServer({
      status: 200,
      body: { success: true, data: { mqtt: MEMBERSHIP.mqtt, config: [] } },
    });
    const states = await device.traced(['claim', '--cloud', server.url, '--code', 'HARBOUR-NORTH-0001'], {});
    const seen = await device.startEach(states, async () => {
      const { identity } = await device.startAnew();
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
  }, 600_000);

  it('by the claim of its claim file is unclaimed and has it, or is claimed and erases it', async () => {
    const { publicKey } = openIdentity(device.identityFile);
    server = await startClaimServer({
      status: 200,
      body: { success: true, data: { mqtt: MEMBERSHIP.mqtt, config: [] } },
    });
    const CLAIM_FILE = join(device.disk, 'boot', 'claim.json');
    mkdirSync(join(device.disk, 'boot'));
    const code = 'HARBOUR-NORTH-0001';
    writeFileSync(CLAIM_FILE, JSON.stringify({ cloud_url: server.url, claim_code: code }));
    const states = await device.traced(['run'], {
      env: { CLAIM_FILE },
      act: () =>
        waitUntil(
          'the claim file to be erased',
          () => readdirSync(join(device.disk, 'data')).includes('agent.db') && !existsSync(CLAIM_FILE),
        ),
    });
    const seen = await device.startEach(states, async () => {
      const { device: started, identity } = await device.startAnew({ CLAIM_FILE });
      expect(identity.publicKey).toBe(publicKey);
      let claim: unknown;
      await started.start(async (config) => {
        ({ claim } = config);
        return { status: () => Promise.reject(new Error('nobody asks')), joined: new Promise(() => undefined) };
      });
      if (identity.cloud === null) {
        expect(claim).toEqual({ cloudUrl: server?.url, code });
        return 'old';
      }
      expect([claim, existsSync(CLAIM_FILE), hasText(filesOf(device.disk), code)]).toEqual([null, false, false]);
      return 'claimed';
    });
    expect(Object.keys(seen).sort()).toEqual(['claimed', 'old']);
  }, 600_000);
});

import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ClaimError } from '../../../agent/commissioning/claim.js';
import { loadAgentConfig } from '../../../agent/config.js';
import { connectDevice } from '../../../agent/device-process.js';
import { deferred } from '../../../agent/waiting/deferred.js';
import { silentLogger } from '../../../shared/logger.js';
import { settle } from '../../world/fake-clock.js';

let directory: string;
let path: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'device-process-'));
  path = join(directory, 'claim.json');
  // A gateway that has started has kept its identity there.
  mkdirSync(join(directory, 'data'));
  writeFileSync(path, JSON.stringify({ cloud_url: 'https://cloud.example', claim_code: 'HARBOUR-NORTH-0001' }));
});
afterEach(() => rmSync(directory, { recursive: true }));

/** A gateway that has started, and is claimed later. */
async function started(joined: Promise<void>) {
  const environment = { AGENT_DATA_DIR: join(directory, 'data'), CLAIM_FILE: path, BLE_HCI: 'off' };
  const device = await connectDevice(loadAgentConfig({ environment }), { logger: silentLogger });
  const asked: unknown[] = [];
  await device.start(async ({ claim }) => {
    asked.push(claim);
    return { status: () => Promise.reject(new Error('nobody asks')), joined };
  });
  return asked;
}

describe('a device whose claim goes on after the start', () => {
  it('erases its claim file when the cloud has answered, not before', async () => {
    const claim = deferred<void>();
    expect(await started(claim.promise)).toEqual([{ cloudUrl: 'https://cloud.example', code: 'HARBOUR-NORTH-0001' }]);
    await settle();
    expect(existsSync(path)).toBe(true);
    claim.resolve();
    await settle();
    expect(existsSync(path)).toBe(false);
  });

  it('keeps the reason of a refusal, and the file when it only stopped', async () => {
    const stopped = deferred<void>();
    await started(stopped.promise);
    stopped.reject(new Error('the gateway is stopping'));
    await settle();
    expect(existsSync(path)).toBe(true);
    const refused = deferred<void>();
    await started(refused.promise);
    refused.reject(new ClaimError('refused', 'the code is used'));
    await settle();
    expect(existsSync(path)).toBe(false);
    expect(readFileSync(join(directory, 'claim.refused.json'), 'utf8')).toContain('the code is used');
  });
});

it('starts a device whose erasure was cut off half-way as one that is unclaimed', async () => {
  const data = join(directory, 'data');
  writeFileSync(join(data, 'erasing.json'), JSON.stringify({ why: 'replaced', at_ms: 1 }));
  writeFileSync(join(data, 'identity.json'), '\0'.repeat(400));
  expect(await started(Promise.reject(new Error('nobody asks')))).toEqual([
    { cloudUrl: 'https://cloud.example', code: 'HARBOUR-NORTH-0001' },
  ]);
});

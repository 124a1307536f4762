import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { lookAtDevice } from '../../../agent/doctor/look-at-device.js';
import { found } from '../../../shared/doctor/findings.js';
import { systemClock } from '../../../shared/system-clock.js';

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'look-at-device-'));
});
afterEach(() => rmSync(dataDir, { recursive: true }));

async function gatewayFindings(): Promise<string[]> {
  const { findings } = await lookAtDevice({
    dataDir,
    identityFile: join(dataDir, 'identity.json'),
    clock: systemClock,
    version: '0',
    first: [found('gateway.not_running', null, { url: 'http://127.0.0.1:8090' })],
  });
  return findings.map(({ id }) => id).filter((id) => id.startsWith('gateway.'));
}

it('finds a damaged identity, and does not call damaged what is being erased', async () => {
  writeFileSync(join(dataDir, 'identity.json'), '\0'.repeat(400));
  expect(await gatewayFindings()).toEqual(['gateway.not_running', 'gateway.identity_damaged']);
  writeFileSync(join(dataDir, 'erasing.json'), JSON.stringify({ why: 'reset', at_ms: 1 }));
  expect(await gatewayFindings()).toEqual(['gateway.not_running', 'gateway.erasing']);
  rmSync(join(dataDir, 'identity.json'));
  expect(await gatewayFindings()).toEqual(['gateway.not_running', 'gateway.erasing']);
});

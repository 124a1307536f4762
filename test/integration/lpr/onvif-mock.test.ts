/** The ONVIF driver at a server that nobody here wrote: the mock of npm `onvif` 0.6.2, its answers to PullMessages apart. */
import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CameraRead, CameraSource } from '../../../agent/lpr/camera.js';
import { createOnvifDriver } from '../../../agent/lpr/onvif/onvif-driver.js';
import { systemClock } from '../../../shared/system-clock.js';
import { freePorts } from '../../world/free-ports.js';
import { cameraFixture } from '../../unit/lpr/camera-fixture.js';
import { waitUntil } from '../../../scripts/sim/wait-until.js';
import { camera } from '../../unit/lpr/plate-world.js';
import { cameraDriverDeps } from '../../world/camera-driver-deps.js';

const require = createRequire(import.meta.url);
const MOCK = join(dirname(require.resolve('onvif-mock/package.json')), 'test');
const MODULES = dirname(dirname(require.resolve('dot/package.json')));

describe('the ONVIF driver at the mock server of npm onvif', () => {
  const folder = mkdtempSync(join(tmpdir(), 'onvif-mock-'));
  let server: ChildProcess;
  let port = 0;

  beforeAll(async () => {
    [port = 0] = await freePorts(1);
    cpSync(MOCK, folder, { recursive: true });
    // The mock itself tells of motion, now and then; here it tells of a plate of digits, again and again.
    writeFileSync(join(folder, 'serverMockup/PullMessages.xml'), cameraFixture('onvif', 'license-plate.xml'));
    const program = `require(${JSON.stringify(require.resolve('coffee-script/register'))}); require(process.argv[1]);`;
    server = spawn(process.execPath, ['-e', program, join(folder, 'serverMockup.coffee')], {
      env: { ...process.env, NODE_PATH: MODULES, PORT: String(port), HOSTNAME: '127.0.0.1' },
      stdio: 'ignore',
    });
    await waitUntil('the mock to answer', async () => (await fetch(`http://127.0.0.1:${port}/`)).status === 200);
  });
  afterAll(() => {
    server.kill('SIGKILL');
    rmSync(folder, { recursive: true });
  });

  const driver = createOnvifDriver(cameraDriverDeps(systemClock));
  const item = (change = {}) =>
    camera('cam', { driver: 'onvif', address: `http://127.0.0.1:${port}`, push_key: '', ...change });

  it('finds it', async () => {
    expect(await driver.probe?.(item(), new AbortController().signal)).toEqual({ isThere: true, problem: null });
  });

  it('reads its plates with their leading zeros, though every answer says that the subscription ended long ago', async () => {
    const reads: CameraRead[] = [];
    const faults: (string | null)[] = [];
    const source = driver.source?.(item(), {
      async onRead(read) {
        reads.push(read);
      },
      onAlive() {},
      onMalformed() {},
      onFault: (reason) => faults.push(reason),
    }) as CameraSource;
    try {
      await expect.poll(() => reads.length).toBeGreaterThan(2);
      expect(reads[0]).toMatchObject({
        raw_plate: '0048215',
        confidence: 0.93,
        country_code: 'HR',
        movement: 'absent',
      });
      // The mock's snapshot is at another host: it is not asked there.
      expect(reads[0]?.pictures.full_address).toBeUndefined();
      expect(faults).toEqual([null]);
      // It answers at once, and is asked at a pace all the same: 20 times a second at most, where the library's own loop asks 720 times.
      const before = reads.length;
      const startedMonoMs = systemClock.monotonic();
      await expect.poll(() => reads.length).toBeGreaterThan(before + 10);
      const perSecond = ((reads.length - before) * 1000) / (systemClock.monotonic() - startedMonoMs);
      expect(perSecond).toBeLessThan(25);
      process.stdout.write(`onvif@0.6.2's mock: ${reads.length} plates read, ${perSecond.toFixed(1)} pulls a second\n`);
    } finally {
      await source.close();
    }
  });
});

/**
 * A device whose update is cut off between any two writes, or in the middle of one: it goes on, ends with the release that is wanted, or with
 * the one before where the new one does not start, and needs nobody. The room of updates runs once on a disk that is traced, with slots that
 * stand in for RAUC's and U-Boot's; each state on the way is then given power anew.
 */
import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readUpdateState } from '../../agent/update/update-state-file.js';
import { parseByteRange } from '../../cloud/equipment/release/byte-range-parser.js';
import { startProgram } from '../world/programs.js';
import { startEach } from './cut-device.js';
import { cutOffs, type Files } from './cut-offs.js';
import { buildDiskShim, hasCompiler, readTrace } from './disk-shim.js';
import { type Ended, NEW, OLD, runUpdateDevice, updateFolder, type UpdateDeviceOptions } from './update-device.js';

const BUNDLE = randomBytes(400_000);
const SHA256 = createHash('sha256').update(BUNDLE).digest('hex');

let directory: string;
let server: Server;
let device: UpdateDeviceOptions;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'update-cut-off-'));
  const disk = join(directory, 'disk');
  mkdirSync(disk);
  server = createServer((request, response) => {
    const range = parseByteRange(request.headers.range, BUNDLE.length);
    const { start, end } = typeof range === 'string' ? { start: 0, end: BUNDLE.length - 1 } : range;
    response.writeHead(typeof range === 'string' ? 200 : 206);
    response.end(BUNDLE.subarray(start, end + 1));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/bundle`;
  device = { disk, url, sha256: SHA256, bytes: BUNDLE.length, isBroken: false, streams: false };
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  rmSync(directory, { recursive: true, force: true });
});

/** Has the device updated on the traced disk. @returns how that ended, and each state on the way */
async function traced() {
  const before: Files = new Map();
  const trace = join(directory, 'trace');
  const program = startProgram('test/faults/update-child.js', [JSON.stringify(device)], {
    LD_PRELOAD: buildDiskShim(directory),
    SHIM_DIR: device.disk,
    SHIM_TRACE: trace,
  });
  expect(await program.ended, program.output()).toMatchObject({ code: 0 });
  const ended = JSON.parse(program.output()) as Ended;
  return { ended, states: cutOffs(before, readTrace(trace), /^$/) };
}

/** Gives each state power anew. @param expected how all of them end */
async function expectAllToEnd(states: ReturnType<typeof cutOffs>, expected: Partial<Ended>): Promise<void> {
  const seen = await startEach(device.disk, states, async () => {
    const phase = readUpdateState(join(updateFolder(device.disk), 'state.json'))?.phase;
    const ended = await runUpdateDevice(device);
    expect(ended).toMatchObject(expected);
    const installs = ended.asked.filter((each) => each === 'install').length;
    const isWritten = phase !== 'idle' && phase !== 'fetching' && phase !== 'installing';
    expect(installs, `${phase}: installations`).toBe(isWritten || ended.began === NEW ? 0 : 1);
    expect(readdirSync(updateFolder(device.disk))).toEqual(['state.json']);
    return `${ended.began} ${phase}`;
  });
  for (const state of [`${OLD} idle`, `${OLD} fetching`, `${OLD} installing`, `${OLD} ready`, `${OLD} activating`])
    expect(Object.keys(seen)).toContain(state);
}

describe.runIf(hasCompiler())('a device whose update is cut off at any step', () => {
  it.each([
    ['that is brought whole', false],
    ['that RAUC brings', true],
  ])(
    'to a release %s has it in the end',
    async (_how, streams) => {
      device = { ...device, streams };
      const { ended, states } = await traced();
      const updated = { phase: 'idle', installed: NEW, slot: 'B', error: null };
      expect(ended).toMatchObject({ ...updated, began: OLD });
      await expectAllToEnd(states, updated);
    },
    600_000,
  );

  it('to a release that does not start has the one before, and does not try again', async () => {
    device = { ...device, isBroken: true };
    const { ended, states } = await traced();
    const back = { phase: 'fallen_back', installed: OLD, slot: 'A' };
    expect(ended).toMatchObject({ ...back, began: OLD });
    await expectAllToEnd(states, back);
    const kept = readFileSync(join(updateFolder(device.disk), 'state.json'), 'utf8');
    expect(JSON.parse(kept)).toMatchObject({ refused: [SHA256] });
  }, 600_000);
});

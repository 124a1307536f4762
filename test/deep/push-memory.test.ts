import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CameraBodies, sendCameraBodies } from '../attack/camera-bodies.js';
import { waitUntil } from '../../scripts/sim/wait-until.js';

const MIB = 1024 * 1024;
const CAMERAS = 10;
const PUSHES_PER_CAMERA = 20;
/** The budget of 32 MiB, each body twice while its parts are joined, and what Node.js keeps of it until it collects. */
const GROWTH_MIB_MAX = 160;

let directory: string;
let child: ChildProcess | undefined;
const floods: CameraBodies[] = [];
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'push-memory-'));
});
afterEach(async () => {
  for (const flood of floods.splice(0)) flood.close();
  if (child?.kill('SIGKILL')) await once(child, 'exit');
  rmSync(directory, { recursive: true });
});

/** The most memory that the process ever had, in MiB. */
function peakMib(pid: number): number {
  const [, kib = '0'] = /VmHWM:\s*(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kib) / 1024;
}

describe('the memory of a gateway', () => {
  it('does not grow with the number of large pushes at once, declared or not', async () => {
    child = fork(fileURLToPath(new URL('./push-servant.js', import.meta.url)), [directory]);
    const [port] = (await once(child, 'message')) as [number];
    const before = peakMib(child.pid!);
    for (const isChunked of [false, true]) {
      const round = Array.from({ length: CAMERAS }, (_, at) =>
        sendCameraBodies({
          port,
          path: `/lpr/hikvision/cam-${at}/right-key`,
          count: PUSHES_PER_CAMERA,
          bytes: 8 * MIB,
          isChunked,
        }),
      );
      floods.push(...round);
      const settled = () => round.reduce((sum, flood) => sum + flood.statuses().length + flood.ended(), 0);
      await waitUntil('most of them to be sent away', () => settled() >= (CAMERAS * PUSHES_PER_CAMERA) / 2);
      for (const flood of round) flood.finish();
      await waitUntil('all of them to end', () => settled() >= CAMERAS * PUSHES_PER_CAMERA);
      for (const flood of round) flood.close();
    }
    const after = peakMib(child.pid!);
    process.stdout.write(`peak memory: ${before.toFixed(0)} MiB before, ${after.toFixed(0)} MiB after\n`);
    expect(after - before).toBeLessThan(GROWTH_MIB_MAX);
  });
});

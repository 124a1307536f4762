/**
 * From the start of the gateway's program, which is claimed and has its configuration, to the answer of a camera's push that it decided
 * on; beside the start of a bare Node.js in the same run, which is what no program of ours can do without.
 */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openIdentity } from '../../agent/commissioning/identity.js';
import { sleep } from '../../shared/clock.js';
import { systemClock } from '../../shared/system-clock.js';
import { hikvisionCamera } from '../../scripts/sim/cameras/hikvision-camera.js';
import { createVehiclePictures } from '../../scripts/sim/cameras/vehicle-pictures.js';
import { waitUntil } from '../../scripts/sim/wait-until.js';
import { entryCamera } from '../world/entry-camera.js';
import { freePorts } from '../world/free-ports.js';
import { startProgram } from '../world/programs.js';
import { printFigure, quantile } from './figure.js';
import { knownPlate } from './known-plates.js';
import { endConnections, send, startServer } from './plate-servers.js';

const RUNS = 9;
const WANTED_MS = 2_000;
const ASK_AGAIN_MS = 5;
/** Not `npx`, and no code of ours. */
const BARE = ['-e', '0'];

async function bareStart(): Promise<number> {
  const startedMs = performance.now();
  await once(spawn(process.execPath, BARE, { stdio: 'ignore' }), 'close');
  return performance.now() - startedMs;
}

/** Writes what a gateway keeps that is claimed, has a camera at the entry, its barrier and 50,000 plates. */
async function prepare(dataDir: string): Promise<void> {
  const gateway = await startServer('./plate-agent.js', { args: [dataDir] });
  gateway.end();
  await waitUntil('the gateway to have ended', () => !existsSync(`/proc/${gateway.pid}`));
  const mqtt = { url: 'mqtt://127.0.0.1:9', username: randomUUID(), password: 'x', ca: null };
  openIdentity(join(dataDir, 'identity.json')).joined({ url: 'http://127.0.0.1:9', mqtt });
}

async function untilAnswered(push: () => Promise<number>): Promise<void> {
  for (;;) {
    // Nobody listens yet.
    const status = await push().catch(() => null);
    if (status === 200) return;
    if (status !== null) throw new Error(`the gateway answered ${status}`);
    await sleep(systemClock, ASK_AGAIN_MS);
  }
}

/** Runs the benchmark. */
export async function benchFirstDecision(): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'parking-bench-'));
  const camera = entryCamera({ device_id: 'cam' });
  const pictures = await createVehiclePictures()('ZG00000K', undefined);
  const [port = 0] = await freePorts(1);
  const started: number[] = [];
  const bare: number[] = [];

  async function startOnce(run: number): Promise<number> {
    const read = { uuid: randomUUID(), wallMs: Date.now(), read: { plate: knownPlate(run) }, pictures };
    const push = hikvisionCamera.encode(camera, read, false);
    const startedMs = performance.now();
    const env = { AGENT_DATA_DIR: dataDir, AGENT_HTTP_PORT: String(port), BLE_HCI: 'off', LOG_LEVEL: 'warn' };
    const program = startProgram('agent/main.js', ['run'], env);
    try {
      await untilAnswered(() => send({ port, method: 'POST', path: '/lpr/hikvision/cam/key', ...push }));
      const tookMs = performance.now() - startedMs;
      const queue = (await (await fetch(`http://127.0.0.1:${port}/queue?list=100`)).json()) as object;
      if (!JSON.stringify(queue).includes('plate_read')) throw new Error(`nothing was decided:\n${program.output()}`);
      return tookMs;
    } finally {
      endConnections();
      await program.end();
    }
  }

  try {
    await prepare(dataDir);
    for (let run = 0; run < RUNS; run++) {
      bare.push(await bareStart());
      started.push(await startOnce(run));
    }
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
  const [measured, reference] = [quantile(started, 0.5), quantile(bare, 0.5)];
  const seconds = (ms: number) => (ms / 1_000).toFixed(2);
  const most = quantile(started, 1);
  printFigure({
    what: 'start of the gateway to its first decision',
    measured: `${seconds(measured)} s (median of ${RUNS}, at most ${seconds(most)} s)`,
    reference: `a bare start of Node.js ${seconds(reference)} s`,
    ratio: measured / reference,
    reach: null,
  });
  printFigure({
    what: 'the same, beside what is wanted',
    measured: `${seconds(measured)} s`,
    reference: `${seconds(WANTED_MS)} s`,
    ratio: measured / WANTED_MS,
    reach: 1,
  });
}

/**
 * From the start of the gateway's program, which is claimed and has its configuration, to the answer of a camera's push that it decided
 * on; beside the start of a bare Node.js in the same run, which is what no program of ours can do without.
 */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { openIdentity } from '../../agent/commissioning/identity.js';
import { sleep } from '../../shared/clock.js';
import { systemClock } from '../../shared/system-clock.js';
import { freePorts } from '../world/free-ports.js';
import { startProgram } from '../world/programs.js';
import { newFolder, median, printFigure, quantile, alternate, timed } from './harness.js';
import { drawnPictures, keptConnections, knownPlate, post, pushOf, startPlateAgent } from './plates.js';

const RUNS = 9;
const WANTED_MS = 2_000;
const ASK_AGAIN_MS = 5;
/** Not `npx`, and no code of ours. */
const BARE = ['-e', '0'];

const bareStart = () => timed(() => once(spawn(process.execPath, BARE, { stdio: 'ignore' }), 'close'));

/** Writes what a gateway keeps that is claimed, has a camera at the entry, its barrier and 50,000 plates. */
async function prepare(dataDir: string): Promise<void> {
  await (await startPlateAgent([dataDir])).end();
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
  const dataDir = newFolder();
  await prepare(dataDir);
  const [pictures, [port = 0]] = [await drawnPictures(), await freePorts(1)];
  const startOnce = (run: number) => decideOnce({ dataDir, port, push: pushOf(knownPlate(run), pictures) });
  const { started, bare } = await alternate(RUNS, { bare: bareStart, started: startOnce });
  const shown = (ms: number) => (ms / 1_000).toFixed(2);
  printFigure(
    'start of the gateway to its first decision',
    [median(started), `${shown(median(started))} s (median of ${RUNS}, at most ${shown(quantile(started, 1))} s)`],
    [median(bare), `a bare start of Node.js ${shown(median(bare))} s`],
    null,
  );
  printFigure(
    'the same, beside what is wanted',
    [median(started), `${shown(median(started))} s`],
    [WANTED_MS, `${shown(WANTED_MS)} s`],
    1,
  );
}

async function decideOnce(of: { dataDir: string; port: number; push: ReturnType<typeof pushOf> }): Promise<number> {
  const { dataDir, port, push } = of;
  const agent = keptConnections();
  const startedMs = performance.now();
  const env = { AGENT_DATA_DIR: dataDir, AGENT_HTTP_PORT: String(port), BLE_HCI: 'off', LOG_LEVEL: 'warn' };
  const program = startProgram('agent/main.js', ['run'], env);
  try {
    await untilAnswered(() => post({ agent, port, push }));
    const tookMs = performance.now() - startedMs;
    const queue = (await (await fetch(`http://127.0.0.1:${port}/queue?list=100`)).json()) as object;
    if (!JSON.stringify(queue).includes('plate_read')) throw new Error(`nothing was decided:\n${program.output()}`);
    return tookMs;
  } finally {
    agent.destroy();
    await program.end();
  }
}

/**
 * From a state call over REST to its lot_change on the WebSocket, with the real programs, against a bare noble cycle that has the
 * same product do the same over the same emulated radio. The two take turns, so that changes of the machine affect both.
 */
import { fork } from 'node:child_process';
import { join } from 'node:path';
import { WebSocket } from 'ws';
import { TEST_SITE } from '../sim/world/site.js';
import { waitUntil } from '../sim/world/wait-until.js';
import { createWorld, type World } from '../sim/world/world.js';
import { printFigure, quantile } from './figure.js';

const WARM_UP = 20;
const PAIRS = 150;
/** A packet waits for the next event of its connection, every 7.5 ms (Bluetooth's shortest interval). An air without it is measured too. */
const AIRS = [
  { latencyMs: 7.5, name: 'connection events of 7.5 ms', reach: 1.3 },
  { latencyMs: 0, name: 'packets that take no time', reach: null },
];
const BARRIER_ID = 1;
const BARRIER_MASTER_KEY = '1a'.repeat(32);

interface BareNoble {
  cycle(): Promise<number>;
  end(): void;
}

function startBareNoble(radioPath: string): Promise<BareNoble> {
  const child = fork(new URL('./bare-noble.js', import.meta.url), [radioPath, TEST_SITE.barrier, BARRIER_MASTER_KEY]);
  let onCycle: (message: { tookMs?: number; error?: string }) => void = () => {};
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`bare-noble ended with ${code}`)));
    child.on('message', (message: { ready?: true; tookMs?: number; error?: string }) => {
      if (message.ready === undefined) return onCycle(message);
      resolve({
        cycle: () =>
          new Promise((told, failed) => {
            onCycle = ({ tookMs, error }) => (tookMs === undefined ? failed(new Error(error)) : told(tookMs));
            child.send('cycle');
          }),
        end: () => child.disconnect(),
      });
    });
  });
}

/** The barrier is open already, so that the way there and back is measured and not the motor. */
async function stateCommands(world: World) {
  const heardAtMs = new Map<string, number>();
  const socket = new WebSocket(`${world.cloudUrl.replace(/^http/, 'ws')}/v2/realtime`, {
    headers: { authorization: `Bearer ${TEST_SITE.apiToken}` },
  });
  await new Promise((resolve, reject) => {
    socket.once('error', reject);
    socket.once('message', resolve);
  });
  socket.on('message', (text) => {
    const { event, data } = JSON.parse(String(text)) as { event: string; data: string };
    if (event !== 'lot_change') return;
    const { event_id } = JSON.parse(data) as { event_id?: string };
    if (event_id !== undefined) heardAtMs.set(event_id, performance.now());
  });
  const open = () =>
    world.call<{ data?: { event_id: string } }>('POST', `/v2/products/${BARRIER_ID}/state`, {
      body: { operation: 'open' },
    });
  await waitUntil('the cloud to take a command', async () => (await open()).status === 200);
  await waitUntil('the barrier to be open', () => heardAtMs.size > 0);
  return {
    async command(): Promise<number> {
      const startedMs = performance.now();
      const { status, body } = await open();
      const event_id = body.data?.event_id;
      if (event_id === undefined) throw new Error(`the cloud answered ${status}`);
      return waitUntil('its lot_change', () => {
        const atMs = heardAtMs.get(event_id);
        return atMs === undefined ? null : atMs - startedMs;
      });
    },
    close: () => socket.close(),
  };
}

/** A connection begins with the product's next advertisement, one in 100 ms: a random pause gives neither side the other's rhythm. */
function anyMoment(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 100 + Math.random() * 100));
}

/** Runs the benchmark. */
export async function benchStateCommand(): Promise<void> {
  for (const air of AIRS) await measure(air);
}

async function measure(air: (typeof AIRS)[number]): Promise<void> {
  const world = await createWorld({ radioLatencyMs: air.latencyMs });
  const commands = await stateCommands(world);
  const bare = await startBareNoble(join(world.dataDir, 'radio.sock'));
  const measured: number[] = [];
  const reference: number[] = [];
  try {
    for (let run = 0; run < WARM_UP + PAIRS; run++) {
      await anyMoment();
      const bareMs = await bare.cycle();
      await anyMoment();
      const commandMs = await commands.command();
      if (run < WARM_UP) continue;
      reference.push(bareMs);
      measured.push(commandMs);
    }
  } finally {
    bare.end();
    commands.close();
    await world.close();
  }
  for (const [name, share, reach] of [
    ['p50', 0.5, air.reach],
    ['p90', 0.9, null],
  ] as const) {
    const [command, cycle] = [quantile(measured, share), quantile(reference, share)];
    printFigure({
      what: `state call over REST to lot_change, ${air.name}, ${name}`,
      measured: `${command.toFixed(1)} ms`,
      reference: `bare noble cycle ${cycle.toFixed(1)} ms`,
      ratio: command / cycle,
      reach,
    });
  }
}

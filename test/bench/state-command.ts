/**
 * From a state call over REST to its lot_change on the WebSocket, with the real programs, against a bare noble cycle that has the
 * same product do the same over the same emulated radio. They take turns, so that changes of the machine affect all. The gateway knows the
 * product's handles; a follow-up finds the link that it keeps.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { join } from 'node:path';
import { LINK_KEPT_MS } from '../../agent/product/held-links.js';
import { TEST_SITE } from '../world/site.js';
import { waitUntil } from '../../scripts/sim/wait-until.js';
import { createWorld, type World } from '../world/world.js';
import { startBareNoble } from './bare-noble-client.js';
import { amount, hearEvents, printFigure, quantile } from './harness.js';

const WARM_UP = 3;
const ROUNDS = 40;
/** A slow machine gives fewer rounds, and so many at least. */
const ROUNDS_MIN = 10;
const MEASURED_FOR_MS = 75_000;
/** A packet waits for the next event of its connection, every 7.5 ms (Bluetooth's shortest interval). An air without it is measured too. */
const AIRS = [
  { latencyMs: 7.5, name: 'connection events of 7.5 ms', reach: { commandMs: 1.3, followUpMs: 1 } },
  { latencyMs: 0, name: 'packets that take no time', reach: null },
];
const BARRIER_ID = 1;
const BARRIER_MASTER_KEY = '1a'.repeat(32);

/** The barrier is open already, so that the way there and back is measured and not the motor. */
async function stateCommands(world: World) {
  const heardAtMs = new Map<string, number>();
  const close = await hearEvents({ cloudUrl: world.cloudUrl, token: TEST_SITE.apiToken }, (event, data) => {
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
    close,
  };
}

/** A connection begins with the product's next advertisement, one in 100 ms: a random pause gives neither side the other's rhythm. */
const anyMoment = () => pause(100 + Math.random() * 100);

interface Round {
  bareMs: number;
  /** The gateway makes a link. */
  commandMs: number;
  /** It uses the link that it kept. */
  followUpMs: number;
}

/** Runs the benchmark. */
export async function benchStateCommand(): Promise<void> {
  for (const air of AIRS) await measure(air);
}

async function measure(air: (typeof AIRS)[number]): Promise<void> {
  const world = await createWorld({
    radioLatencyMs: air.latencyMs,
    cloudEnv: { RATE_COMMANDS_PER_MIN: '0', RATE_REQUESTS_PER_MIN: '0' },
  });
  const commands = await stateCommands(world);
  const bare = await startBareNoble({
    radioPath: join(world.dataDir, 'radio.sock'),
    deviceIds: [TEST_SITE.barrier],
    masterKey: BARRIER_MASTER_KEY,
  });
  const rounds: Round[] = [];
  try {
    const endMs = performance.now() + MEASURED_FOR_MS;
    for (let round = 0; round < WARM_UP + ROUNDS; round++) {
      if (rounds.length >= ROUNDS_MIN && performance.now() > endMs) break;
      // A product serves one client at a time: the gateway has let it go.
      await pause(LINK_KEPT_MS);
      await anyMoment();
      const bareMs = await bare.cycle(0);
      await anyMoment();
      const commandMs = await commands.command();
      const followUpMs = await commands.command();
      if (round >= WARM_UP) rounds.push({ bareMs, commandMs, followUpMs });
    }
  } finally {
    await bare.end();
    commands.close();
    await world.close();
  }
  for (const [kind, name] of [
    ['commandMs', 'a new link'],
    ['followUpMs', 'the link of the command before'],
  ] as const) {
    for (const [share, reach] of [
      [0.5, air.reach?.[kind] ?? null],
      [0.9, null],
    ] as const) {
      const of = (each: keyof Round) => rounds.map((round) => round[each]);
      printFigure(
        `state call over REST to lot_change, ${air.name}, over ${name}, p${share * 100} of ${rounds.length}`,
        amount(quantile(of(kind), share), '{} ms', 1),
        amount(quantile(of('bareMs'), share), 'bare noble cycle {} ms', 1),
        reach,
      );
    }
  }
}

/** The cloud ends and is started again. From its readiness until an integrator hears what the gateway kept meanwhile, all over real sockets. */
import { sleep } from '../../shared/clock.js';
import { systemClock } from '../../shared/system-clock.js';
import { seededRandom } from '../../scripts/sim/traffic/seeded-random.js';
import { waitUntil } from '../../scripts/sim/wait-until.js';
import { createWorld, type World } from '../world/world.js';
import { amount, median, numberOption, printFigure, quantile } from './harness.js';

const ROUNDS = 10;
/** A link that is lost sooner after the one before is taken for a failure, and a cloud is not restarted that often. */
const STANDS_MS = 11_000;
/** So that its return meets the gateway anywhere between two tries. */
const AWAY_MAX_MS = 4_000;
const MEDIAN_WANTED_S = 1;
const P95_WANTED_S = 3;

interface Round {
  /** From the start of the program until it is ready. */
  startS: number;
  /** From there until the event is heard. */
  heardS: number;
}

/** @param args `--rounds N`, with each signal */
export async function benchCloudRestart(args: readonly string[]): Promise<void> {
  const rounds = numberOption(args, '--rounds', ROUNDS);
  const world = await createWorld();
  const random = seededRandom(1);
  try {
    for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
      const measured: Round[] = [];
      for (let round = 0; round < rounds; round++) {
        await sleep(systemClock, STANDS_MS);
        const plate = `ZG${1_000 + round}${signal === 'SIGTERM' ? 'TM' : 'KL'}`;
        measured.push(await restart(world, { signal, plate, awayMs: random() * AWAY_MAX_MS }));
      }
      report(signal, measured);
    }
  } finally {
    await world.close();
  }
}

async function restart(
  world: World,
  { signal, plate, awayMs }: { signal: 'SIGTERM' | 'SIGKILL'; plate: string; awayMs: number },
): Promise<Round> {
  const before = await world.listen();
  await world.arrive(`${plate}A`);
  const [last] = await before.waitFor('plate_reading_create');
  await before.close();
  await world.settled();
  await (signal === 'SIGKILL' ? world.faults.kill('cloud') : world.stopCloud());
  await waitUntil('the gateway to notice', async () => !(await world.agentStatus()).cloud.connected);
  await world.arrive(plate);
  await sleep(systemClock, awayMs);
  const startedMs = performance.now();
  await world.startCloud();
  const readyMs = performance.now();
  const after = await world.listen(last?.id ?? undefined);
  await waitUntil('the event', () => after.of('plate_reading_create').some(({ payload }) => payload.plate === plate));
  const heardMs = performance.now();
  await after.close();
  return { startS: (readyMs - startedMs) / 1_000, heardS: (heardMs - readyMs) / 1_000 };
}

function report(signal: string, rounds: readonly Round[]): void {
  const heard = rounds.map(({ heardS }) => heardS);
  const figures = [
    { name: 'median', share: 0.5, wantedS: MEDIAN_WANTED_S },
    { name: '95 of 100', share: 0.95, wantedS: P95_WANTED_S },
  ];
  for (const { name, share, wantedS } of figures) {
    printFigure(
      `a cloud that ended by ${signal} is ready again, until the gateway's event is heard`,
      amount(quantile(heard, share), `{} s (${name} of ${rounds.length})`, 2),
      amount(wantedS, '{} s wanted'),
      1,
    );
  }
  const starts = rounds.map(({ startS }) => startS);
  console.log(
    `its start itself took ${median(starts).toFixed(2)} s (median); each: ${heard.map((s) => s.toFixed(2)).join(' ')}`,
  );
}

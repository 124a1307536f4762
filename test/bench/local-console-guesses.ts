/**
 * What guesses of the device's password cost the cameras: how long pushes take that open a barrier, with 100 guesses in each phase and with
 * none. The phases take turns, so that changes of the machine affect both. Guesses come from many addresses, so that as many as possible are
 * checked.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { amount, ask, newFolder, printFigure, quantile, timed } from './harness.js';
import { drawnPictures, keptConnections, post, pushOf, scatteredPlate, startPlateAgent } from './plates.js';

const WARM_UP = 200;
const PHASES = 8;
const PUSHES = 200;
const GUESSES = 100;
/** Between two pushes: twenty a second. */
const PAUSE_MS = 50;
const REACH = 1.2;

/** Runs the benchmark. */
export async function benchLocalConsoleGuesses(): Promise<void> {
  const { times, statuses } = await measure(newFolder());
  const seen = [...statuses].map(([status, count]) => `${count} with ${status}`).join(', ');
  console.log(`guesses were answered: ${seen}`);
  const unexpected = [...statuses.keys()].filter((status) => status !== 401 && status !== 429);
  if (unexpected.length > 0 || (statuses.get(401) ?? 0) === 0) throw new Error('the guesses were no guesses');
  printFigure(
    `plate push answered beside ${GUESSES} guesses of the password, p99`,
    amount(quantile(times.guessed, 0.99), '{} ms', 2),
    amount(quantile(times.quiet, 0.99), 'none {} ms', 2),
    REACH,
  );
}

async function measure(dataDir: string) {
  const gateway = await startPlateAgent([dataDir, 'apart', 'console']);
  const { port } = gateway.started;
  const agent = keptConnections();
  const pictures = await drawnPictures();
  let pushed = 0;
  const push = () => {
    const encoded = pushOf(scatteredPlate((pushed += 1)), pictures);
    return timed(async () => {
      const status = await post({ agent, port, push: encoded });
      if (status !== 200) throw new Error(`the gateway answered ${status}`);
    });
  };
  const times = { quiet: [] as number[], guessed: [] as number[] };
  const statuses = new Map<number, number>();
  try {
    for (let run = 0; run < WARM_UP; run++) await push();
    for (let phase = 0; phase < PHASES; phase++) {
      const kind = phase % 2 === 0 ? 'quiet' : 'guessed';
      const guesses: ReturnType<typeof ask>[] = [];
      for (let run = 0; run < PUSHES; run++) {
        if (kind === 'guessed' && run % (PUSHES / GUESSES) === 0) guesses.push(guess(port, run));
        times[kind].push(await push());
        await pause(PAUSE_MS);
      }
      for (const { status } of await Promise.all(guesses)) statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
  } finally {
    agent.destroy();
    await gateway.end();
  }
  return { times, statuses };
}

const guess = (port: number, number: number) =>
  ask(`http://127.0.0.1:${port}/api/session`, {
    body: JSON.stringify({ password: randomUUID() }),
    localAddress: `127.0.0.${2 + (number % 200)}`,
  });

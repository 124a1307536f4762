/**
 * From a camera's push to the command to the product, against a bare HTTP look-up of the same plate among 50,000. Camera, gateway
 * and look-up are separate processes; gateway and look-up run in turn, so that changes of the machine affect both.
 */
import { amount, ask, newFolder, printFigure, quantile, startChild, alternate, timed } from './harness.js';
import { commandIssued, drawnPictures, keptConnections, pushOf, scatteredPlate, startPlateAgent } from './plates.js';

const WARM_UP = 300;
const PAIRS = 2_000;
const QUANTILES = [
  ['p50', 0.5, 1.3],
  ['p99', 0.99, 1.5],
] as const;

/** Runs the benchmark. */
export async function benchPlateToCommand(): Promise<void> {
  const { issued, looked } = await measure(newFolder());
  for (const [name, share, reach] of QUANTILES) {
    printFigure(
      `plate push received to product command issued, ${name}`,
      amount(quantile(issued, share), '{} ms', 2),
      amount(quantile(looked, share), 'bare HTTP look-up {} ms', 2),
      reach,
    );
  }
}

async function measure(dataDir: string): Promise<Record<'issued' | 'looked', number[]>> {
  const [gateway, lookup] = await Promise.all([
    startPlateAgent([dataDir, 'apart']),
    startChild<{ port: number }>('lookup-server.js'),
  ]);
  const agent = keptConnections();
  const pictures = await drawnPictures();
  const runs = {
    issued: (run: number) => commandIssued(gateway, { agent, push: pushOf(scatteredPlate(run + WARM_UP), pictures) }),
    looked: (run: number) =>
      timed(() => ask(`http://127.0.0.1:${lookup.started.port}/plates/${scatteredPlate(run + WARM_UP)}`, { agent })),
  };
  try {
    return await alternate(PAIRS, runs, WARM_UP);
  } finally {
    agent.destroy();
    await Promise.all([gateway.end(), lookup.end()]);
  }
}

/**
 * What 2,000 places cost that are polled over 20 Modbus servers every second, as a share of one core, against a process that sends the same
 * requests over plain sockets and looks at no answer. Both run in turn on the same servers.
 */
import { sleep } from '../../shared/clock.js';
import { systemClock } from '../../shared/system-clock.js';
import { amount, type Child, median, printFigure, startChild, alternate } from './harness.js';
import type { PollCost } from './sensor-poller.js';

const SERVERS = 20;
const PLACES = 2_000;
const WARM_UP_MS = 8_000;
const ROUND_MS = 5_000;
const ROUNDS = 6;
/** A quarter of a core. */
const SHARE_MAX = 0.25;
const CASES = [
  { name: 'registers side by side', stride: 1 },
  { name: 'each register alone', stride: 3 },
];

/** The share of a core that a round takes. */
async function shareOf(poller: Child<unknown>, onPlaces: (places: number) => void = () => {}): Promise<number> {
  await poller.ask('cost');
  const began = performance.now();
  await sleep(systemClock, ROUND_MS);
  const { cpuUs, places } = await poller.ask<PollCost>('cost');
  onPlaces(places);
  return cpuUs / 1_000 / (performance.now() - began);
}

/** Runs the benchmark. */
export async function benchSensorPolling(): Promise<void> {
  for (const { name, stride } of CASES) {
    const servers = await startChild<number[]>('sensor-servers.js', [SERVERS]);
    const start = (kind: string) => startChild('sensor-poller.js', [kind, servers.started.join(), stride]);
    const [hub, bare] = await Promise.all([start('hub'), start('bare')]);
    await sleep(systemClock, WARM_UP_MS);
    const read: number[] = [];
    const shares = await alternate(ROUNDS, {
      hub: () => shareOf(hub, (places) => read.push(places / (ROUND_MS / 1_000))),
      bare: () => shareOf(bare),
    });
    await Promise.all([hub, bare, servers].map((child) => child.end()));
    const ofCore = (share: number) => `${(share * 100).toFixed(1)} % of a core`;
    const [own, reference] = [median(shares.hub), median(shares.bare)];
    const what = `${PLACES} places polled over ${SERVERS} Modbus servers every second, ${name}`;
    printFigure(
      what,
      [own, `${ofCore(own)}, ${median(read).toFixed(0)} read a second`],
      amount(SHARE_MAX, 'a quarter of a core'),
      1,
    );
    printFigure(
      `${what}, the same`,
      [own, ofCore(own)],
      [reference, `the same requests over plain sockets ${ofCore(reference)}`],
      null,
    );
  }
}

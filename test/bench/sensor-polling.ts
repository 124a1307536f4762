/**
 * What 2,000 places cost that are polled over 20 Modbus servers every second, as a share of one core, against a process that sends the same
 * requests over plain sockets and looks at no answer. Both run in turn on the same servers.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { sleep } from '../../shared/clock.js';
import { systemClock } from '../../shared/system-clock.js';
import { answerOf } from './child-answer.js';
import { printFigure, quantile } from './figure.js';
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

async function costOf(poller: ChildProcess): Promise<PollCost & { share: number }> {
  poller.send('cost');
  await answerOf(poller);
  const began = performance.now();
  await sleep(systemClock, ROUND_MS);
  poller.send('cost');
  const cost = await answerOf<PollCost>(poller);
  return { ...cost, share: cost.cpuUs / 1_000 / (performance.now() - began) };
}

/** Runs the benchmark. */
export async function benchSensorPolling(): Promise<void> {
  for (const { name, stride } of CASES) {
    const servers = fork(new URL('sensor-servers.js', import.meta.url), [String(SERVERS)]);
    const ports = await answerOf<number[]>(servers);
    const start = (kind: string) =>
      fork(new URL('sensor-poller.js', import.meta.url), [kind, ports.join(), String(stride)]);
    const [hub, bare] = [start('hub'), start('bare')];
    await Promise.all([answerOf(hub), answerOf(bare)]);
    await sleep(systemClock, WARM_UP_MS);
    const shares: { hub: number; bare: number; read: number }[] = [];
    try {
      for (let round = 0; round < ROUNDS; round++) {
        const measured = await costOf(hub);
        const { share } = await costOf(bare);
        shares.push({ hub: measured.share, bare: share, read: measured.places / (ROUND_MS / 1_000) });
      }
    } finally {
      for (const child of [hub, bare, servers]) child.kill();
    }
    const median = (of: 'hub' | 'bare' | 'read') =>
      quantile(
        shares.map((each) => each[of]),
        0.5,
      );
    const percent = (share: number) => `${(share * 100).toFixed(1)} % of a core`;
    const what = `${PLACES} places polled over ${SERVERS} Modbus servers every second, ${name}`;
    printFigure({
      what,
      measured: `${percent(median('hub'))}, ${median('read').toFixed(0)} read a second`,
      reference: `a quarter of a core`,
      ratio: median('hub') / SHARE_MAX,
      reach: 1,
    });
    printFigure({
      what: `${what}, the same`,
      measured: percent(median('hub')),
      reference: `the same requests over plain sockets ${percent(median('bare'))}`,
      ratio: median('hub') / median('bare'),
      reach: null,
    });
  }
}

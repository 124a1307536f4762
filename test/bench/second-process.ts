/** What a second cloud process costs: the processor time of the same work by one process, and shared by two. They take turns. */
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type FleetProcesses, startFleetProcesses } from '../../scripts/fleet/fleet-processes.js';
import { fleetSiteText, readFleetSite } from '../../scripts/fleet/fleet-site.js';
import { waitUntil } from '../../scripts/sim/wait-until.js';
import { childrenOf } from '../unit/radio/processes.js';
import { amount, median, printFigure, processorMs } from './harness.js';
import { type CloudOfInstallation, type Installation, startInstallation } from './installation.js';

const GATEWAYS = 200;
const RECORDS_PER_S = 150;
const WRITE_S = 15;
/** Of a round: writing, and what comes behind it. */
const ROUND_MS = 20_000;
const ROUNDS = 3;
const WITHIN_MS = 180_000;
/** A second process costs at most so many times the processor time. */
const COST_MAX = 1.15;

interface Cost {
  clouds: number;
  /** With the database's. */
  all: number;
}

export async function benchSecondProcess(): Promise<void> {
  const installation = await startInstallation(fleetSiteText(GATEWAYS));
  const fleet = startFleetProcesses(1);
  try {
    const first = await installation.startCloud();
    await connect(installation, { fleet, cloudUrl: first.url });
    const costs = { one: [] as Cost[], two: [] as Cost[] };
    // The first round of each is for what is compiled and planned on the way.
    for (let round = 0; round <= ROUNDS; round++) {
      const one = await costOf(installation, fleet, [first]);
      const second = await installation.startCloud();
      // A new process compiles on the way what the first has compiled long ago: that is the price of a start, and not of a second process.
      await costOf(installation, fleet, [first, second]);
      const two = await costOf(installation, fleet, [first, second]);
      await second.end();
      if (round === 0) continue;
      costs.one.push(one);
      costs.two.push(two);
    }
    for (const [whose, kind, reach] of [
      ['of the cloud', 'clouds', COST_MAX],
      ['of cloud and database', 'all', null],
    ] as const) {
      const ms = (of: readonly Cost[]) => median(of.map((each) => each[kind]));
      printFigure(
        `processor time ${whose} for ${RECORDS_PER_S * WRITE_S} records of ${GATEWAYS} gateways`,
        amount(ms(costs.two), '{} ms of two processes'),
        amount(ms(costs.one), '{} ms of one'),
        reach,
      );
    }
  } finally {
    fleet.kill();
    await installation.close();
  }
}

async function connect(
  { directory }: Installation,
  { fleet, cloudUrl }: { fleet: FleetProcesses; cloudUrl: string },
): Promise<void> {
  const state = join(directory, 'fleet');
  mkdirSync(state, { recursive: true });
  const { gateways } = readFleetSite(join(directory, 'site.yaml'));
  fleet.connect({ run: 'bench', cloudUrl, state, gateways, atOnce: 20 });
  await waitUntil('the fleet to be connected', () => fleet.state().ready === GATEWAYS, WITHIN_MS);
}

/** The processor time that a round takes of these processes. */
async function costOf(
  { postgres }: Installation,
  fleet: FleetProcesses,
  clouds: readonly CloudOfInstallation[],
): Promise<Cost> {
  const postmaster = Number(readFileSync(join(postgres.directory, 'postmaster.pid'), 'utf8').split('\n')[0]);
  const usedNow = () => ({
    clouds: clouds.reduce((sum, { pid }) => sum + processorMs(pid), 0),
    database: childrenOf(postmaster).reduce((sum, pid) => sum + processorMs(pid), 0),
  });
  await waitUntil('the fleet to be back', () => fleet.state().ready === GATEWAYS, WITHIN_MS);
  const before = usedNow();
  const [startedMs, written] = [performance.now(), fleet.state().written];
  fleet.write({ perSecond: RECORDS_PER_S, seconds: WRITE_S });
  await waitUntil('the round to be over', () => performance.now() - startedMs > ROUND_MS, WITHIN_MS);
  const after = usedNow();
  const state = fleet.state();
  const late = written + RECORDS_PER_S * WRITE_S - state.acknowledged;
  if (late > RECORDS_PER_S)
    throw new Error(`${late} records were not acknowledged in the round: it is not the same work`);
  const cost = after.clouds - before.clouds;
  return { clouds: cost, all: cost + after.database - before.database };
}

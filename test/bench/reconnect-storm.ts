/** Thousands of gateways at one broker and two cloud processes. The broker dies and is back: how long until all are, and what is lost. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { watchArrivals } from '../../scripts/fleet/arrivals.js';
import { startFleetProcesses } from '../../scripts/fleet/fleet-processes.js';
import { compareSeen } from '../../scripts/fleet/fleet-report.js';
import { fleetSiteText, readFleetSite } from '../../scripts/fleet/fleet-site.js';
import { waitUntil } from '../../scripts/sim/wait-until.js';
import { amount, numberOption, printFigure } from './harness.js';
import { startInstallation } from './installation.js';

const GATEWAYS = 5_000;
const RECORDS_PER_S = 50;
const SETTLED_WITHIN_S = 60;
const CONNECT_WITHIN_MS = 900_000;
const STORM_WITHIN_MS = 300_000;

/** @param args `--gateways N` @throws when a record was lost or arrived twice */
export async function benchReconnectStorm(args: readonly string[]): Promise<void> {
  const count = numberOption(args, '--gateways', GATEWAYS);
  const installation = await startInstallation(fleetSiteText(count));
  const fleet = startFleetProcesses(2);
  const since = (startedMs: number) => (performance.now() - startedMs) / 1_000;
  try {
    const { url: cloudUrl } = await installation.startCloud();
    await installation.startCloud();
    const state = join(installation.directory, 'fleet');
    mkdirSync(state, { recursive: true });
    const { gateways, token } = readFleetSite(join(installation.directory, 'site.yaml'));
    const run = String(Date.now());
    const arrivals = await watchArrivals({ cloudUrl, token: token ?? '', run });
    const connecting = performance.now();
    fleet.connect({ run, cloudUrl, state, gateways, atOnce: 100 });
    await waitUntil('all to be connected', () => fleet.state().ready === count, CONNECT_WITHIN_MS);
    console.log(`${count} gateways were claimed and connected in ${since(connecting).toFixed(1)} s`);

    fleet.write({ perSecond: RECORDS_PER_S, seconds: STORM_WITHIN_MS / 1_000 });
    await waitUntil('records to come', () => fleet.state().acknowledged > RECORDS_PER_S, STORM_WITHIN_MS);
    await installation.broker.kill();
    await waitUntil('the gateways to notice', () => fleet.state().connected < count / 2, STORM_WITHIN_MS);
    const back = performance.now();
    installation.broker.start();
    await waitUntil('all to be back', () => fleet.state().connected === count, STORM_WITHIN_MS);
    const settledS = since(back);
    fleet.stop();
    await waitUntil(
      'all records to arrive',
      () => {
        const { isWriting, written, acknowledged } = fleet.state();
        return !isWriting && acknowledged === written && arrivals.heard.size >= written;
      },
      STORM_WITHIN_MS,
    );
    const end = await fleet.close();
    const [rest, realtime] = [
      compareSeen(end.written, await arrivals.list()),
      compareSeen(end.written, arrivals.heard),
    ];
    arrivals.close();
    const written = [...end.written.values()].reduce((sum, each) => sum + each, 0);
    printFigure(
      `${count} gateways come back to a broker that was killed`,
      amount(settledS, '{} s until all are connected', 1),
      amount(SETTLED_WITHIN_S, '{} s that are wanted'),
      1,
    );
    console.log(
      `${written} records: lost ${rest.lost} by REST, ${realtime.lost} by realtime; twice ${rest.twice}, ${realtime.twice}`,
    );
    const wrong = [rest, realtime].some(({ lost, twice }) => lost > 0 || twice > 0);
    if (wrong) throw new Error('Records were lost, or arrived twice');
  } finally {
    fleet.kill();
    await installation.close();
  }
}

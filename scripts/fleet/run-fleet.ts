/** A run: all gateways connect and write for a time; then each record must have arrived exactly once. */
import { type Clock, sleep } from '../../shared/clock.js';
import { type Arrivals, watchArrivals } from './arrivals.js';
import { type FleetProcesses, startFleetProcesses } from './fleet-processes.js';
import { compareSeen, type FleetReport, lagOf } from './fleet-report.js';
import type { DeclaredGateway } from './fleet-site.js';
import { watchLogs } from './log-errors.js';

const LOOK_EVERY_MS = 100;
const SAY_EVERY_MS = 2_000;

export interface FleetRun {
  cloudUrl: string;
  token: string;
  gateways: DeclaredGateway[];
  /** Directory of the gateways' identities. */
  state: string;
  rate: number;
  seconds: number;
  atOnce: number;
  processes: number;
  /** The longest wait without any progress, seconds. */
  patienceS: number;
  /** Log files of the cloud's programs, which must stay free of errors. */
  logs: readonly string[];
}

export interface FleetRunDeps {
  clock: Clock;
  /** Shows the progress. */
  onProgress(line: string): void;
  /** Ctrl-C: write no more, and report. */
  stop: AbortSignal;
}

/** A run that is under way. */
interface Running extends FleetRunDeps {
  run: FleetRun;
  fleet: FleetProcesses;
  arrivals: Arrivals;
}

/** The durations of a run's parts, and how many gateways were connected when the writing began. */
interface RunTimes {
  connected: number;
  connect_s: number;
  /** Seconds from the first record to the last; never 0. */
  wroteFor: number;
  /** Seconds from the first record until everything had arrived; never 0. */
  settledAfter: number;
}

/** @throws ParkingError when the cloud refuses the token; Error when a process of the fleet ended */
export async function runFleet(run: FleetRun, deps: FleetRunDeps): Promise<FleetReport> {
  const name = String(deps.clock.now());
  const logs = run.logs.length === 0 ? null : watchLogs(run.logs);
  const arrivals = await watchArrivals({ cloudUrl: run.cloudUrl, token: run.token, run: name });
  const fleet = startFleetProcesses(run.processes);
  try {
    const times = await connectAndWrite({ ...deps, run, fleet, arrivals }, name);
    const { claimed, reconnects } = fleet.state();
    const end = await fleet.close();
    deps.onProgress('looking for every record over REST');
    const rest = compareSeen(end.written, await arrivals.list());
    const realtime = compareSeen(end.written, arrivals.heard);
    const written = [...end.written.values()].reduce((sum, count) => sum + count, 0);
    const errors = logs?.found() ?? null;
    const { connected, connect_s } = times;
    const perSecond = (count: number, inSeconds: number) => Math.round((count / inSeconds) * 10) / 10;
    return {
      gateways: { asked: run.gateways.length, claimed, connected, connect_s, reconnects },
      records: {
        written,
        acknowledged: end.lagsMs.length,
        asked_per_s: run.rate,
        written_per_s: perSecond(written, times.wroteFor),
        acknowledged_per_s: perSecond(end.lagsMs.length, times.settledAfter),
      },
      lag_ms: { acknowledged: lagOf(end.lagsMs), realtime: lagOf(arrivals.lagsMs) },
      lost: { rest: rest.lost, realtime: realtime.lost },
      twice: { rest: rest.twice, realtime: realtime.twice },
      errors,
      problems: fleet.problems(),
      ok:
        connected === run.gateways.length &&
        written > 0 &&
        Object.keys(errors?.counts ?? {}).length === 0 &&
        rest.lost + rest.twice + realtime.lost + realtime.twice === 0,
    };
  } finally {
    arrivals.close();
    fleet.kill();
  }
}

/** Connects all gateways, writes for the time that was asked, and waits until the cloud has everything. */
async function connectAndWrite(running: Running, name: string): Promise<RunTimes> {
  const { clock, stop, run, fleet, arrivals } = running;
  const seconds = (since: number) => Math.round((clock.monotonic() - since) / 100) / 10;
  const began = clock.monotonic();
  fleet.connect({ ...run, run: name });
  const isReady = () => stop.aborted || fleet.state().ready === run.gateways.length;
  await waitFor(running, isReady, () => fleet.state().claimed + fleet.state().ready);
  const connect_s = seconds(began);
  const { connected } = fleet.state();

  const writing = clock.monotonic();
  if (!stop.aborted) fleet.write({ perSecond: run.rate, seconds: run.seconds });
  const endMs = writing + run.seconds * 1_000;
  const hasWritten = () => stop.aborted || (clock.monotonic() > endMs && !fleet.state().isWriting);
  await waitFor(running, hasWritten, clock.monotonic);
  fleet.stop();
  const wroteFor = Math.max(0.1, seconds(writing));
  const hasArrived = () => {
    const { written, acknowledged, isWriting } = fleet.state();
    return !isWriting && acknowledged === written && arrivals.heard.size >= written;
  };
  await waitFor(running, hasArrived, () => fleet.state().acknowledged + arrivals.heard.size);
  return { connected, connect_s, wroteFor, settledAfter: Math.max(0.1, seconds(writing)) };
}

/** Waits until `isDone`, or until `progress` has not changed for the run's patience. */
async function waitFor(
  { clock, onProgress, run, fleet, arrivals }: Running,
  isDone: () => boolean,
  progress: () => number,
): Promise<void> {
  let [seen, movedAt, saidAt] = [progress(), clock.monotonic(), clock.monotonic()];
  while (!isDone() && clock.monotonic() - movedAt < run.patienceS * 1_000) {
    await sleep(clock, LOOK_EVERY_MS);
    if (progress() !== seen) [seen, movedAt] = [progress(), clock.monotonic()];
    if (clock.monotonic() - saidAt < SAY_EVERY_MS) continue;
    saidAt = clock.monotonic();
    onProgress(progressOf(fleet, run, arrivals.heard.size));
  }
}

function progressOf(fleet: FleetProcesses, run: FleetRun, heard: number): string {
  const { claimed, connected, written, acknowledged } = fleet.state();
  const gateways = `${claimed} claimed, ${connected} connected of ${run.gateways.length} gateways`;
  return `${gateways}; ${written} records written, ${acknowledged} acknowledged, ${heard} heard`;
}

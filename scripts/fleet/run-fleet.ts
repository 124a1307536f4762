/** A run: all gateways connect, write for a time, and it is looked whether each record arrived once. */
import { type Clock, sleep } from '../../shared/clock.js';
import { watchArrivals } from './arrivals.js';
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
  /** How long it is waited while nothing moves. */
  patienceS: number;
  /** Log files of the cloud's programs; none: they are not looked at. */
  logs: readonly string[];
}

export interface FleetRunDeps {
  clock: Clock;
  /** Shows how far it is. */
  onProgress(line: string): void;
  /** Ctrl-C: write no more, and report. */
  stop: AbortSignal;
}

/** @throws ParkingError when the cloud refuses the token; Error when a process of the fleet ended */
export async function runFleet(run: FleetRun, { clock, onProgress, stop }: FleetRunDeps): Promise<FleetReport> {
  const name = String(clock.now());
  const logs = run.logs.length === 0 ? null : watchLogs(run.logs);
  const arrivals = await watchArrivals({ cloudUrl: run.cloudUrl, token: run.token, run: name });
  const fleet = startFleetProcesses(run.processes);
  const seconds = (since: number) => Math.round((clock.monotonic() - since) / 100) / 10;

  /** Waits until it is done, or nothing has moved for as long as the patience lasts. @param moving what moves */
  async function waitFor(isDone: () => boolean, moving: () => number): Promise<void> {
    let [seen, movedAt, saidAt] = [moving(), clock.monotonic(), clock.monotonic()];
    while (!isDone() && clock.monotonic() - movedAt < run.patienceS * 1_000) {
      await sleep(clock, LOOK_EVERY_MS);
      if (moving() !== seen) [seen, movedAt] = [moving(), clock.monotonic()];
      if (clock.monotonic() - saidAt < SAY_EVERY_MS) continue;
      saidAt = clock.monotonic();
      onProgress(progressOf(fleet, run, arrivals.heard.size));
    }
  }

  try {
    const began = clock.monotonic();
    fleet.connect({ ...run, run: name });
    const isReady = () => stop.aborted || fleet.state().ready === run.gateways.length;
    await waitFor(isReady, () => fleet.state().claimed + fleet.state().ready);
    const connect_s = seconds(began);
    const { connected } = fleet.state();

    const writing = clock.monotonic();
    if (!stop.aborted) fleet.write({ perSecond: run.rate, seconds: run.seconds });
    const endMs = writing + run.seconds * 1_000;
    await waitFor(() => stop.aborted || (clock.monotonic() > endMs && !fleet.state().isWriting), clock.monotonic);
    fleet.stop();
    const wroteFor = Math.max(0.1, seconds(writing));
    await waitFor(
      () => {
        const { written, acknowledged, isWriting } = fleet.state();
        return !isWriting && acknowledged === written && arrivals.heard.size >= written;
      },
      () => fleet.state().acknowledged + arrivals.heard.size,
    );
    const settledAfter = Math.max(0.1, seconds(writing));
    const { claimed, reconnects } = fleet.state();
    const end = await fleet.close();

    onProgress('looking for every record over REST');
    const rest = compareSeen(end.written, await arrivals.list());
    const realtime = compareSeen(end.written, arrivals.heard);
    const written = [...end.written.values()].reduce((sum, count) => sum + count, 0);
    const errors = logs?.found() ?? null;
    const perSecond = (count: number, inSeconds: number) => Math.round((count / inSeconds) * 10) / 10;
    return {
      gateways: { asked: run.gateways.length, claimed, connected, connect_s, reconnects },
      records: {
        written,
        acknowledged: end.lagsMs.length,
        asked_per_s: run.rate,
        written_per_s: perSecond(written, wroteFor),
        acknowledged_per_s: perSecond(end.lagsMs.length, settledAfter),
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

function progressOf(fleet: FleetProcesses, run: FleetRun, heard: number): string {
  const { claimed, connected, written, acknowledged } = fleet.state();
  const gateways = `${claimed} claimed, ${connected} connected of ${run.gateways.length} gateways`;
  return `${gateways}; ${written} records written, ${acknowledged} acknowledged, ${heard} heard`;
}

/** The result of a run. */
import { recordKey, type Seen } from './arrivals.js';
import type { LogErrors } from './log-errors.js';

export interface Lag {
  p50: number;
  p99: number;
  max: number;
}

export interface FleetReport {
  gateways: { asked: number; claimed: number; connected: number; connect_s: number; reconnects: number };
  records: {
    written: number;
    acknowledged: number;
    asked_per_s: number;
    written_per_s: number;
    acknowledged_per_s: number;
  };
  /** Milliseconds from the write of a record; null: there was none. */
  lag_ms: { acknowledged: Lag | null; realtime: Lag | null };
  /** Records that are missing, by where they were looked for. */
  lost: { rest: number; realtime: number };
  twice: { rest: number; realtime: number };
  /** Errors in the logs that were given; null: none were given. */
  errors: LogErrors | null;
  problems: string[];
  /** All gateways connected, each record arrived once, and no log has an error. */
  ok: boolean;
}

export function lagOf(lagsMs: readonly number[]): Lag | null {
  if (lagsMs.length === 0) return null;
  const sorted = lagsMs.toSorted((a, b) => a - b);
  const at = (part: number) => Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0);
  return { p50: at(0.5), p99: at(0.99), max: at(1) };
}

/** Counts the records that were not seen, and those that were seen more than once. */
export function compareSeen(written: ReadonlyMap<number, number>, seen: Seen): { lost: number; twice: number } {
  let lost = 0;
  for (const [gateway, count] of written) {
    for (let number = 0; number < count; number++) if (!seen.has(recordKey(gateway, number))) lost += 1;
  }
  return { lost, twice: [...seen.values()].filter((times) => times > 1).length };
}

export function fleetReportText({ gateways, records, lag_ms, lost, twice, errors, problems, ok }: FleetReport): string {
  const lag = (found: Lag | null) =>
    found === null ? 'none' : `p50 ${found.p50} ms  p99 ${found.p99} ms  max ${found.max} ms`;
  const rows: [string, string][] = [
    [
      'gateways',
      `${gateways.asked} asked, ${gateways.claimed} claimed, ${gateways.connected} connected in ${gateways.connect_s} s`,
    ],
    ['links lost', `${gateways.reconnects}, and made again`],
    ['records', `${records.written} written, ${records.acknowledged} acknowledged`],
    [
      'per second',
      `${records.asked_per_s} asked, ${records.written_per_s} written, ${records.acknowledged_per_s} acknowledged`,
    ],
    ['acknowledged', lag(lag_ms.acknowledged)],
    ['on realtime', lag(lag_ms.realtime)],
    ['lost', `${lost.rest} by REST, ${lost.realtime} by realtime`],
    ['twice', `${twice.rest} by REST, ${twice.realtime} by realtime`],
    ...errorRows(errors),
    ...problems.map((problem): [string, string] => ['problem', problem]),
    ['result', resultOf(ok, errors)],
  ];
  return rows.map(([name, value]) => `${name.padEnd(14)}${value}`).join('\n');
}

function errorRows(errors: LogErrors | null): [string, string][] {
  if (errors === null) return [['errors', 'unknown: name the logs with --logs']];
  const counted = Object.entries(errors.counts).map(([log, count]) => `${count} in ${log}`);
  return [
    ['errors', `${counted.length === 0 ? 'none' : counted.join(', ')}; ${errors.deadlocks} deadlocks`],
    ...errors.first.map((line): [string, string] => ['', line]),
  ];
}

function resultOf(ok: boolean, errors: LogErrors | null): string {
  if (ok) return 'each record arrived once';
  return errors !== null && Object.keys(errors.counts).length > 0
    ? 'NOT as it should be: see errors'
    : 'NOT everything arrived once';
}

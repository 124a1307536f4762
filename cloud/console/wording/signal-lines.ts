/** How well gateways heard a product over time, as lines of a plot. */
import { HOUR_MS } from '../../../shared/durations.js';

/** Of `GET /v2/products/{id}/signal`. dBm */
export interface SignalHour {
  hour: string;
  gateway_id: number;
  min_rssi: number;
  median_rssi: number;
  max_rssi: number;
}

/** One gateway's line. */
export interface SignalLine {
  gateway_id: number;
  /** Medians, as the `d` of an SVG path; broken where an hour is missing. */
  line: string;
  /** From the weakest to the strongest of each hour, as the `d` of an SVG path. */
  band: string;
  /** dBm: the median of the hours' medians, and the weakest that was heard. */
  median: number;
  weakest: number;
  hours_count: number;
}

/** Where the plot is drawn: `from` and `to` in milliseconds since 1970, sizes in units of the drawing. */
export interface PlotFrame {
  from: number;
  to: number;
  width: number;
  height: number;
}

/** dBm at the upper and lower edge: nearer or farther makes no difference to people. */
const STRONGEST = -30;
const WEAKEST = -100;
/** dBm below which commands begin to fail. */
export const WEAK_DBM = -85;

/** The height of a strength in the drawing, from above. */
export function signalY(rssi: number, { height }: Pick<PlotFrame, 'height'>): number {
  const shown = Math.min(STRONGEST, Math.max(WEAKEST, rssi));
  return rounded(((STRONGEST - shown) / (STRONGEST - WEAKEST)) * height);
}

/** One line for each gateway that heard it, the best first. */
export function signalLines(hours: readonly SignalHour[], frame: PlotFrame): SignalLine[] {
  const byGateway = new Map<number, SignalHour[]>();
  for (const hour of hours) byGateway.set(hour.gateway_id, [...(byGateway.get(hour.gateway_id) ?? []), hour]);
  return [...byGateway]
    .map(([gateway_id, own]) => lineOf(gateway_id, own.toSorted(byHour), frame))
    .toSorted((a, b) => b.median - a.median || a.gateway_id - b.gateway_id);
}

const byHour = (a: SignalHour, b: SignalHour): number => Date.parse(a.hour) - Date.parse(b.hour);

function lineOf(gateway_id: number, hours: readonly SignalHour[], frame: PlotFrame): SignalLine {
  const runs = runsOf(hours);
  const point = (hour: SignalHour, rssi: number) => `${xOf(hour, frame)} ${signalY(rssi, frame)}`;
  const path = (points: readonly string[]) => `M${points.join('L')}`;
  const medians = hours.map(({ median_rssi }) => median_rssi).toSorted((a, b) => a - b);
  return {
    gateway_id,
    // A single hour is a line of no length, which round ends make a dot.
    line: runs
      .map((run) => path(run.map((hour) => point(hour, hour.median_rssi))))
      .map(closedDot)
      .join(''),
    band: runs
      .map((run) => {
        const upper = run.map((hour) => point(hour, hour.max_rssi));
        const lower = run.toReversed().map((hour) => point(hour, hour.min_rssi));
        return `${path([...upper, ...lower])}Z`;
      })
      .join(''),
    median: medians[Math.floor(medians.length / 2)] ?? WEAKEST,
    weakest: Math.min(...hours.map(({ min_rssi }) => min_rssi)),
    hours_count: hours.length,
  };
}

const closedDot = (path: string): string => (path.includes('L') ? path : `${path}h0`);

/** Hours that follow each other. */
function runsOf(hours: readonly SignalHour[]): SignalHour[][] {
  const runs: SignalHour[][] = [];
  for (const hour of hours) {
    const run = runs.at(-1);
    const before = run?.at(-1);
    if (run !== undefined && before !== undefined && byHour(hour, before) <= HOUR_MS) run.push(hour);
    else runs.push([hour]);
  }
  return runs;
}

/** In the middle of its hour. */
function xOf({ hour }: SignalHour, { from, to, width }: PlotFrame): number {
  const at = (Date.parse(hour) + HOUR_MS / 2 - from) / (to - from);
  return rounded(Math.min(1, Math.max(0, at)) * width);
}

const rounded = (value: number): number => Math.round(value * 10) / 10;

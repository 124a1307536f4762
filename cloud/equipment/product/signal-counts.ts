/** Counts how often each strength of a signal was reported. Minimum, median and maximum follow from the counts in any order of reports. */

/** By dBm. */
export type SignalCounts = Readonly<Record<string, number>>;

export interface SignalSummary {
  /** dBm */
  min_rssi: number;
  median_rssi: number;
  max_rssi: number;
  reports_count: number;
}

/** @param rssi dBm */
export function withSignal(counts: SignalCounts, rssi: number): SignalCounts {
  const key = String(Math.round(rssi));
  return { ...counts, [key]: (counts[key] ?? 0) + 1 };
}

/** Summarises at least one report; of an even number of them the median is the weaker of the middle two. */
export function summariseSignals(counts: SignalCounts): SignalSummary {
  const strengths = Object.entries(counts)
    .map(([rssi, count]) => ({ rssi: Number(rssi), count }))
    .toSorted((a, b) => a.rssi - b.rssi);
  const reports_count = strengths.reduce((sum, { count }) => sum + count, 0);
  let below = 0;
  const median = strengths.find(({ count }) => {
    below += count;
    return below * 2 >= reports_count;
  });
  const [weakest] = strengths;
  const strongest = strengths.at(-1);
  if (weakest === undefined || strongest === undefined || median === undefined)
    throw new Error('no signal was reported');
  return { min_rssi: weakest.rssi, median_rssi: median.rssi, max_rssi: strongest.rssi, reports_count };
}

/** One figure of a benchmark: the measured value, beside its reference in the same run. */
export interface Figure {
  what: string;
  measured: string;
  reference: string;
  /** measured / reference, or null for a figure that is only reported. */
  ratio: number | null;
  /** The ratio to stay within, or null. */
  reach: number | null;
}

/** Prints a figure as one line, and says if it misses its reach; the reader judges. */
export function printFigure(figure: Figure): void {
  const ratio = figure.ratio === null ? '' : `  ratio ${figure.ratio.toFixed(2)}`;
  const reach =
    figure.reach === null
      ? ''
      : `  reach <= ${figure.reach}${figure.ratio !== null && figure.ratio > figure.reach ? '  MISSED' : ''}`;
  console.log(`${figure.what}: ${figure.measured} against ${figure.reference}${ratio}${reach}`);
}

/** The value below which the share `quantile` of the samples lies. */
export function quantile(samples: readonly number[], share: number): number {
  const sorted = [...samples].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

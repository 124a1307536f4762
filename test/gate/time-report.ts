/** Where the time of a run went: by folder, beside what the budget grants it, and its slowest files. */
import type { FileOutcome } from './outcome.js';

/** Worker seconds by folder of `test`, such as `integration/lpr`; what it does not name stands under its first part. */
export type Budget = Readonly<Record<string, number>>;

const SLOWEST_SHOWN = 10;
const ROOT = /^dist\/test\//;

/** The longest name in the budget that a file is under, or the first part of its path. */
function folderOf(file: string, budget: Budget): string {
  const parts = file.replace(ROOT, '').split('/');
  for (let length = parts.length - 1; length > 0; length--) {
    const folder = parts.slice(0, length).join('/');
    if (folder in budget) return folder;
  }
  return parts[0] ?? '';
}

/** @returns lines to print */
export function timeReport(files: readonly FileOutcome[], budget: Budget): string[] {
  const spent = new Map<string, { seconds: number; tests: number }>();
  for (const { file, seconds, passed, failures } of files) {
    const folder = folderOf(file, budget);
    const so = spent.get(folder) ?? { seconds: 0, tests: 0 };
    spent.set(folder, { seconds: so.seconds + seconds, tests: so.tests + passed + failures.length });
  }
  const rows = [...spent]
    .toSorted(([, a], [, b]) => b.seconds - a.seconds)
    .map(([folder, { seconds, tests }]) => {
      const granted = budget[folder];
      const over = granted !== undefined && seconds > granted ? '  over' : '';
      return `${seconds.toFixed(0).padStart(6)} ${String(granted ?? '-').padStart(7)} ${String(tests).padStart(6)}  ${folder}${over}`;
    });
  const slowest = files
    .toSorted((a, b) => b.seconds - a.seconds)
    .slice(0, SLOWEST_SHOWN)
    .map(({ file, project, seconds }) => `${seconds.toFixed(0).padStart(6)}  ${file} (${project})`);
  return [
    'Worker seconds of each folder, beside its budget (test/budget.json), and its tests',
    ...rows,
    `The slowest of ${files.length} files, in seconds`,
    ...slowest,
  ];
}

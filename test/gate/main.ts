/**
 * `npm test`: runs the tests, and what failed once more, alone. A file that passes then is named as flaky, and mended next; up to three of
 * them leave the run green. Arguments are those of `vitest run`, such as a folder.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type FileOutcome, FLAKY_FILES_MAX, judge, type Outcome } from './outcome.js';
import { runVitest } from './run-vitest.js';
import { type Budget, timeReport } from './time-report.js';

const RESULTS = 'test-results';
const say = (text: string): boolean => process.stdout.write(`${text}\n`);

/** Runs files one after the other, each in the project in which it failed. */
async function runAlone(files: readonly FileOutcome[]): Promise<Outcome> {
  const outcome: Outcome = { files: [], faults: [] };
  for (const project of new Set(files.map((file) => file.project))) {
    const own = files.filter((file) => file.project === project).map(({ file }) => file);
    const chosen = project === '' ? [] : ['--project', project];
    const again = await runVitest([...own, ...chosen, '--maxWorkers', '1']);
    outcome.files.push(...(again?.files ?? []));
    outcome.faults.push(...(again?.faults ?? [`${project}: the second run had no result`]));
  }
  return outcome;
}

function saySkips(files: readonly FileOutcome[]): void {
  const reasons = new Map<string, number>();
  for (const { file, skips } of files) {
    for (const { test, message } of skips) {
      const line = `${file} > ${test}: ${message}`;
      reasons.set(line, (reasons.get(line) ?? 0) + 1);
    }
  }
  if (reasons.size > 0) say('\nSkipped');
  for (const [line, count] of reasons) say(`  ${line}${count === 1 ? '' : ` (${count} times)`}`);
}

const startedMs = performance.now();
const first = await runVitest(process.argv.slice(2));
if (first === null) {
  process.stderr.write('vitest ended before it had a result\n');
  process.exit(1);
}
const failed = first.files.filter(({ failures }) => failures.length > 0);
const isHopeless = first.faults.length > 0 || failed.length > FLAKY_FILES_MAX;
if (failed.length > 0 && !isHopeless) say(`\n${failed.length} files failed: each once more, alone`);
const second = failed.length > 0 && !isHopeless ? await runAlone(failed) : null;
const verdict = judge(first, second);

const budget = JSON.parse(readFileSync('test/budget.json', 'utf8')) as Budget;
say(`\n${timeReport(first.files, budget).join('\n')}`);
saySkips(first.files);
for (const fault of [...first.faults, ...(second?.faults ?? [])]) say(`fault: ${fault}`);
for (const line of verdict.flaky) say(`flaky: ${line}`);
mkdirSync(RESULTS, { recursive: true });
writeFileSync(join(RESULTS, 'flaky.json'), `${JSON.stringify(verdict.flaky, null, 2)}\n`);
say(`The tests took ${((performance.now() - startedMs) / 60_000).toFixed(1)} minutes.`);
say(`${verdict.passed} passed, ${verdict.failed} failed, ${verdict.skipped} skipped`);
process.exitCode = verdict.isGreen ? 0 : 1;

/** What a run of vitest came to, as its reporter keeps it for the gate. */

/** One test that failed or was skipped. */
export interface TestNote {
  test: string;
  /** Why: the first message of a failure, or what a skipped test says of itself. */
  message: string;
}

/** A test file within one of the runner's projects. */
export interface FileOutcome {
  project: string;
  /** From the checkout, such as `dist/test/unit/money/money.test.js`. */
  file: string;
  seconds: number;
  passed: number;
  failures: TestNote[];
  skips: TestNote[];
}

export interface Outcome {
  files: FileOutcome[];
  /** What went wrong outside of a test, and answers of the service that its document does not describe: no second run excuses them. */
  faults: string[];
}

/** More than so many flaky files are no bad luck any more. */
export const FLAKY_FILES_MAX = 3;

export interface Verdict {
  isGreen: boolean;
  passed: number;
  failed: number;
  skipped: number;
  /** Files that failed at first and passed alone, one line for each of their tests. */
  flaky: string[];
  flakyFiles: number;
}

const keyOf = ({ project, file }: FileOutcome): string => `${project} ${file}`;

/** @param second of the files that failed in the first run, each alone; null when none did */
export function judge(first: Outcome, second: Outcome | null): Verdict {
  const again = new Map((second?.files ?? []).map((outcome) => [keyOf(outcome), outcome]));
  const failed = first.files.filter(({ failures }) => failures.length > 0);
  const passedAlone = failed.filter((outcome) => {
    const other = again.get(keyOf(outcome));
    return other !== undefined && other.failures.length === 0 && other.passed > 0;
  });
  const last = first.files.map((outcome) => again.get(keyOf(outcome)) ?? outcome);
  const sum = (count: (outcome: FileOutcome) => number) => last.reduce((all, outcome) => all + count(outcome), 0);
  const verdict = {
    passed: sum(({ passed }) => passed),
    failed: sum(({ failures }) => failures.length),
    skipped: sum(({ skips }) => skips.length),
    flaky: passedAlone.flatMap(({ file, failures }) =>
      failures.map(({ test, message }) => `${file} > ${test}: ${message}`),
    ),
    flakyFiles: passedAlone.length,
  };
  const hasFaults = first.faults.length + (second?.faults.length ?? 0) > 0;
  const isGreen = !hasFaults && verdict.failed === 0 && verdict.passed > 0 && verdict.flakyFiles <= FLAKY_FILES_MAX;
  return { ...verdict, isGreen };
}

/** How many answers the test processes of a run validated, and which did not fit: one line each in a file of the process. */
import { appendFileSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Set for the test processes by `checked-answers-reporter.ts`. */
export const checkedAnswersVariable = 'CHECKED_ANSWERS_DIR';
/** Set by the reporter at the end of a run in which an answer did not fit, for the reporters after it: what did not, as JSON. */
export const answerProblemsVariable = 'ANSWER_PROBLEMS';

type Result = { operation: string } | { problem: string };

/** Remembers that an answer was validated. */
export function recordAnswer(result: Result): void {
  const directory = process.env[checkedAnswersVariable];
  if (directory === undefined) return;
  appendFileSync(join(directory, `${process.pid}.jsonl`), `${JSON.stringify(result)}\n`);
}

/** The files that the processes of a run wrote into the directory. */
export interface CheckedAnswers {
  answers: number;
  /** Every pair of an operation and a status that was answered. */
  kinds: Set<string>;
  problems: string[];
}

export function readCheckedAnswers(directory: string): CheckedAnswers {
  const checked: CheckedAnswers = { answers: 0, kinds: new Set(), problems: [] };
  for (const name of readdirSync(directory)) {
    for (const line of readFileSync(join(directory, name), 'utf8').trimEnd().split('\n')) {
      const result = JSON.parse(line) as Result;
      checked.answers += 1;
      if ('problem' in result) checked.problems.push(result.problem);
      else checked.kinds.add(result.operation);
    }
  }
  return checked;
}

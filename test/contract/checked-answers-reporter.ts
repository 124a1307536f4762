/** Reporter of the whole run: how many answers were validated against the OpenAPI document. An answer that does not fit fails the run. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Reporter } from 'vitest/node';
import { answerProblemsVariable, checkedAnswersVariable, readCheckedAnswers } from './checked-answers.js';

export default class CheckedAnswersReporter implements Reporter {
  readonly #directory = mkdtempSync(join(tmpdir(), 'checked-answers-'));

  onInit(): void {
    // The test processes inherit it.
    process.env[checkedAnswersVariable] = this.#directory;
  }

  onTestRunEnd(): void {
    const { answers, kinds, problems } = readCheckedAnswers(this.#directory);
    rmSync(this.#directory, { recursive: true });
    if (answers === 0) return;
    const statuses = `${kinds.size} kinds (operation and status)`;
    process.stdout.write(
      `\nAnswers validated against /openapi.json: ${answers}, of ${statuses}; ${problems.length} do not fit\n`,
    );
    for (const problem of new Set(problems)) process.stdout.write(`  ${problem}\n`);
    if (problems.length === 0) return;
    process.exitCode = 1;
    process.env[answerProblemsVariable] = JSON.stringify(problems);
  }
}

/** Reporter that leaves what a run came to in the file that OUTCOME_FILE names. */
import { writeFileSync } from 'node:fs';
import type { Reporter, SerializedError, TestCase, TestModule } from 'vitest/node';
import { answerProblemsVariable } from '../contract/checked-answers.js';
import type { FileOutcome, Outcome, TestNote } from './outcome.js';

const firstLine = (text: string | undefined): string => text?.trim().split('\n', 1)[0] ?? '';

const messageOf = (errors: readonly SerializedError[] | undefined): string =>
  firstLine(errors?.[0]?.message) || 'no message';

function noteOf(test: TestCase): TestNote {
  const result = test.result();
  return {
    test: test.fullName,
    message:
      result.state === 'skipped' ? (result.note ?? 'this machine lacks what it needs') : messageOf(result.errors),
  };
}

function outcomeOf(module: TestModule): FileOutcome {
  const tests = [...module.children.allTests()];
  const inState = (state: 'passed' | 'failed' | 'skipped') => tests.filter((test) => test.result().state === state);
  const { duration, collectDuration } = module.diagnostic();
  const failures = inState('failed').map(noteOf);
  // What fails around the tests, such as the loading of a file or an afterAll.
  const around = [module, ...module.children.allSuites()]
    .filter((part) => part.errors().length > 0)
    .map((part) => ({ test: part.type === 'suite' ? part.fullName : '(the file)', message: messageOf(part.errors()) }));
  return {
    project: module.project.name,
    file: module.relativeModuleId,
    seconds: (duration + collectDuration) / 1_000,
    passed: inState('passed').length,
    failures: [...failures, ...around],
    skips: inState('skipped').map(noteOf),
  };
}

const answerProblems = (): string[] => JSON.parse(process.env[answerProblemsVariable] ?? '[]') as string[];

export default class OutcomeReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly SerializedError[]): void {
    const file = process.env['OUTCOME_FILE'];
    if (file === undefined) return;
    const outcome: Outcome = {
      files: modules.map(outcomeOf),
      faults: [...errors.map(({ message }) => `outside of a test: ${firstLine(message)}`), ...answerProblems()],
    };
    writeFileSync(file, JSON.stringify(outcome));
  }
}

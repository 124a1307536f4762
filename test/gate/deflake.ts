/**
 * `npm run deflake -- FILE... [--times 20] [--busy 2]`, or `-- --changed`: runs test files again and again, beside busy programs, without the
 * gate's second try, and prints how often each passed and what it failed with. Ends with 1 when one failed.
 */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { runVitest } from './run-vitest.js';
import type { FileOutcome } from './outcome.js';
import { errorText } from '../../shared/error-text.js';

const CHANGED_TIMES = 3;
const USAGE = 'usage: npm run deflake -- FILE... [--times 20] [--busy 2], or npm run deflake -- --changed [--times 3]';

/** The compiled test files that differ from main: committed, changed or new ones. */
function changedTests(): string[] {
  const git = (...args: string[]) => execFileSync('git', args, { encoding: 'utf8' }).split('\n');
  const base = git('merge-base', 'HEAD', 'main')[0] ?? 'HEAD';
  const names = [...git('diff', '--name-only', base), ...git('ls-files', '--others', '--exclude-standard')];
  return [...new Set(names)].filter((name) => name.endsWith('.test.ts') && existsSync(name)).map(compiled);
}

const compiled = (path: string): string => (path.startsWith('dist/') ? path : `dist/${path.replace(/\.ts$/, '.js')}`);

function wholeNumber(name: string, text: string, min: number): number {
  const number = Number(text);
  if (Number.isInteger(number) && number >= min) return number;
  throw new Error(`--${name} is "${text}": it must be a whole number, ${min} or more`);
}

function readArguments() {
  const { values, positionals } = parseArgs({
    options: {
      times: { type: 'string' },
      busy: { type: 'string', default: '2' },
      changed: { type: 'boolean', default: false },
    },
    allowPositionals: true,
  });
  const files = values.changed ? changedTests() : positionals.map(compiled);
  if (files.length === 0 && !values.changed) throw new Error('name a test file');
  const missing = files.filter((file) => !existsSync(file));
  if (missing.length > 0) throw new Error(`${missing.join(', ')}: no such file; build first, or look at the name`);
  return {
    files,
    times: wholeNumber('times', values.times ?? String(values.changed ? CHANGED_TIMES : 20), 1),
    busy: wholeNumber('busy', values.busy, 0),
  };
}

/** Tests of the deep tier are in no project of the gate. */
const tierOf = (file: string): string => (/\.deep\.test\.js$|^dist\/test\/deep\//.test(file) ? 'deep' : 'gate');

async function main(): Promise<number> {
  const { files, times, busy } = readArguments();
  const spinners: ChildProcess[] = Array.from({ length: busy }, () =>
    spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }),
  );
  const end = () => spinners.forEach((spinner) => spinner.kill('SIGKILL'));
  process.once('exit', end);
  let hasFailed = false;
  for (const file of files) {
    const messages = new Map<string, number>();
    let passed = 0;
    for (let time = 1; time <= times; time++) {
      const outcome = await runVitest([file], { isQuiet: true, tier: tierOf(file) });
      const failures = outcome === null ? ['no result'] : [...outcome.faults, ...outcome.files.flatMap(failuresOf)];
      const hasRun = outcome !== null && outcome.files.some((each) => each.passed > 0);
      if (failures.length === 0 && hasRun) passed += 1;
      for (const message of hasRun || failures.length > 0 ? failures : ['no test ran']) {
        messages.set(message, (messages.get(message) ?? 0) + 1);
      }
    }
    hasFailed ||= passed < times;
    process.stdout.write(`${file}: passed ${passed} of ${times}\n`);
    for (const [message, count] of messages) process.stdout.write(`  ${count} times: ${message}\n`);
  }
  end();
  return hasFailed ? 1 : 0;
}

const failuresOf = ({ failures }: FileOutcome): string[] => failures.map(({ test, message }) => `${test}: ${message}`);

try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(`deflake: ${errorText(error)}\n${USAGE}\n`);
  process.exitCode = 2;
}

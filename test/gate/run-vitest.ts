/** Runs vitest as a process, and reads what its reporter left. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Outcome } from './outcome.js';

const OUTCOME_REPORTER = './dist/test/gate/outcome-reporter.js';

/**
 * @param args of `vitest run`
 * @param options.isQuiet nothing is printed
 * @param options.tier of `vitest.config.mjs`; that of this process when left out
 * @returns null when vitest ended before it had a result
 */
export async function runVitest(
  args: readonly string[],
  { isQuiet = false, tier }: { isQuiet?: boolean; tier?: string } = {},
): Promise<Outcome | null> {
  const directory = mkdtempSync(join(tmpdir(), 'test-outcome-'));
  const file = join(directory, 'outcome.json');
  const reporter = isQuiet ? ['--reporter', OUTCOME_REPORTER] : [];
  const child = spawn(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', ...args, ...reporter], {
    stdio: isQuiet ? 'ignore' : 'inherit',
    env: { ...process.env, ...(tier === undefined ? {} : { TEST_TIER: tier }), OUTCOME_FILE: file },
  });
  const ended = await new Promise<number | string>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => resolve(code ?? String(signal)));
  });
  try {
    const outcome = JSON.parse(readFileSync(file, 'utf8')) as Outcome;
    const isExplained = outcome.faults.length > 0 || outcome.files.some(({ failures }) => failures.length > 0);
    if (ended !== 0 && !isExplained) outcome.faults.push(`vitest ended with ${ended}, and no test failed`);
    return outcome;
  } catch {
    return null;
  } finally {
    rmSync(directory, { recursive: true });
  }
}

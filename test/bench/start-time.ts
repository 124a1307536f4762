/** From `npm start` after set-up to its table, on a machine with nothing else to do. It is reported without a reference. */
import { spawn } from 'node:child_process';
import { cpSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { amount, median, newFolder, printFigure } from './harness.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const RUNS = 3;

/** Milliseconds from the call to the table, in a checkout that is set up and has no state. */
function startOnce(): Promise<number> {
  const checkout = newFolder();
  for (const entry of [
    'dist',
    'package.json',
    'scripts',
    'package-lock.json',
    'tsconfig.json',
    'agent',
    'cloud',
    'shared',
    'test',
  ]) {
    cpSync(join(ROOT, entry), join(checkout, entry), { recursive: true, preserveTimestamps: true });
  }
  symlinkSync(join(ROOT, 'node_modules'), join(checkout, 'node_modules'));
  return new Promise((resolve, reject) => {
    const startedMs = performance.now();
    const child = spawn('node', ['dist/scripts/start.js'], { cwd: checkout, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    let tookMs: number | null = null;
    const handleOutput = (chunk: unknown) => {
      output += String(chunk);
      if (tookMs === null && output.includes('Ctrl-C stops all of it')) {
        tookMs = performance.now() - startedMs;
        child.kill('SIGINT');
      }
    };
    child.stdout.on('data', handleOutput);
    child.stderr.on('data', handleOutput);
    child.once('close', () => {
      if (tookMs === null) reject(new Error(`npm start printed no table:\n${output}`));
      else resolve(tookMs);
    });
  });
}

/** Runs the benchmark. */
export async function benchStartTime(): Promise<void> {
  const samples: number[] = [];
  for (let run = 0; run < RUNS; run++) samples.push(await startOnce());
  printFigure(
    'npm start after set-up to its table',
    amount(median(samples) / 1_000, `{} s (median of ${RUNS})`, 1),
    amount(6, '{} s wanted on two cores'),
    1,
  );
}

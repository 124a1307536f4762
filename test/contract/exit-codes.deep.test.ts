/** The exit codes of run.md, kept by every program. `contract-pages.test.ts` asks one program for each of them. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type Program, runProgram } from './pages/program-tables.js';

it.each<[Program, string[], number]>([
  ['parking-cloud', ['version'], 0],
  ['parking-agent', ['version'], 0],
  ['parking-agent', ['status'], 1],
  ['parking-cloud', ['--unknown'], 2],
  ['parking-agent', ['--unknown'], 2],
  ['parking-cloud', ['apply', 'no-such-file.yaml'], 2],
  ['parking-sim', [], 2],
])('%s %j ends with %i', async (program, args, exitCode) => {
  const directory = await mkdtemp(join(tmpdir(), 'exit-codes-'));
  expect((await runProgram(program, args, directory)).exitCode).toBe(exitCode);
  await rm(directory, { recursive: true });
});

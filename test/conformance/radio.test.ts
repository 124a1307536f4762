import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { makeChildBench, makeFakeBench, makeNobleBench } from './radio-benches.js';
import { radioConformance } from './radio-conformance.js';

const CLOSE_PROGRAM = fileURLToPath(new URL('./radio-close-program.js', import.meta.url));

radioConformance('fake', makeFakeBench);
radioConformance('noble in this process', makeNobleBench);
radioConformance('noble in its own process', makeChildBench);

describe('radio: closed in the middle of things', () => {
  it.each(['noble', 'child'])('%s leaves nothing that keeps a process running', async (name) => {
    // Killed, and so rejected, when it does not end by itself.
    const { stdout } = await promisify(execFile)(process.execPath, [CLOSE_PROGRAM, name], { timeout: 40_000 });
    expect(stdout).toBe('closed\n');
  });
});

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { createDirectBench, createFakeBench, createNobleBench } from './radio-benches.js';
import { radioConformance } from './radio-conformance.js';

const CLOSE_PROGRAM = fileURLToPath(new URL('./radio-close-program.js', import.meta.url));

radioConformance('fake', createFakeBench);
radioConformance('direct', createDirectBench);
radioConformance('noble in this process', createNobleBench);

describe('radio: closed in the middle of its work', () => {
  it.each(['noble', 'child'])('%s leaves nothing that keeps a process running', async (name) => {
    // A program that does not end by itself is killed, and the call rejects.
    const { stdout } = await promisify(execFile)(process.execPath, [CLOSE_PROGRAM, name], { timeout: 40_000 });
    expect(stdout).toBe('closed\n');
  });
});

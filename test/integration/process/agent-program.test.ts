/** The gateway's program as a process: how it starts, and what it keeps to. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { GATEWAY_LIMITS } from '../../../agent/process/memory-limits.js';
import { freePorts } from '../../world/free-ports.js';
import { type RunningProgram, startProgram } from '../../world/programs.js';
import { waitUntil } from '../../../scripts/sim/wait-until.js';

const MAIN = fileURLToPath(new URL('../../../agent/main.js', import.meta.url));
/** Runs before the program in whatever process it runs in, and prints the limit of that process's heap. */
const PRINT_HEAP_LIMIT = `data:text/javascript,${encodeURIComponent(
  `import { getHeapStatistics } from 'node:v8';
   process.stdout.write('heap of ' + process.pid + ': ' + Math.round(getHeapStatistics().heap_size_limit / 2 ** 20) + ' MB\\n');`,
)}`;
const HEAP_MB = 256;
/** What V8 adds to the limit for the young generation. */
const YOUNG_MB = 8;

let directory: string;
let environment: Record<string, string>;
let url: string;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'parking-agent-program-'));
  const [port] = await freePorts(1);
  url = `http://127.0.0.1:${port}/status`;
  environment = { AGENT_DATA_DIR: directory, AGENT_HTTP_PORT: String(port), BLE_HCI: 'off' };
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const untilItAnswers = () => waitUntil('the gateway to answer', async () => (await fetch(url)).ok);

/** Heap limits in megabytes that a process printed, in the order of the programs it ran. */
const heapLimitsOf = (program: RunningProgram): number[] =>
  [...program.output().matchAll(new RegExp(`^heap of ${program.pid}: (\\d+) MB$`, 'gm'))].map((match) =>
    Number(match[1]),
  );

describe('a gateway that is started plainly', () => {
  it('runs within the limits of its memory, as the same process', async () => {
    const program = startProgram('agent/main.js', ['run'], environment, ['--import', PRINT_HEAP_LIMIT]);
    try {
      await untilItAnswers();
      expect(heapLimitsOf(program).at(-1)).toBeLessThanOrEqual(HEAP_MB + YOUNG_MB);
      const variables = readFileSync(`/proc/${program.pid}/environ`, 'utf8').split('\0');
      for (const [name, value] of Object.entries(GATEWAY_LIMITS.environment))
        expect(variables).toContain(`${name}=${value}`);
      expect(readFileSync(`/proc/${program.pid}/task/${program.pid}/children`, 'utf8')).toBe('');
      await program.end();
      expect(await program.ended).toEqual({ code: 0, signal: null });
      expect(program.output()).toContain('gateway is stopping');
      expect(program.output()).not.toContain('in part only');
    } finally {
      await program.end('SIGKILL');
    }
  });

  it('keeps to what was chosen on the command line, and starts once where the limits are set already', async () => {
    const limitsOf = async (chosen: readonly string[]): Promise<number[]> => {
      const program = startProgram('agent/main.js', ['run'], environment, [...chosen, '--import', PRINT_HEAP_LIMIT]);
      try {
        await untilItAnswers();
        return heapLimitsOf(program);
      } finally {
        await program.end();
      }
    };
    const [, chosen] = await limitsOf(['--max-old-space-size=200']);
    expect(chosen).toBeLessThanOrEqual(200 + YOUNG_MB);
    expect(await limitsOf(GATEWAY_LIMITS.nodeOptions)).toHaveLength(1);
  });

  it('passes on how it ends', async () => {
    const program = startProgram('agent/main.js', ['run'], { ...environment, BLE_HCI: 'no such adapter' });
    expect(await program.ended).toEqual({ code: 2, signal: null });
    expect(program.output()).toContain('BLE_HCI');
  });
});

describe('parking-agent claim', () => {
  it.each([
    ['an address that is none', ['--cloud', 'x', '--code', 'abcd'], 'CLOUD_URL (flag): "x" is not allowed'],
    ['no address', ['--cloud', '', '--code', 'abcd'], 'given without CLOUD_URL'],
    ['a code that is none', ['--cloud', 'http://127.0.0.1:1', '--code', 'a'], 'CLAIM_CODE (flag)'],
    ['no code', ['--cloud', 'http://127.0.0.1:1', '--code', ''], '--cloud and --code'],
  ])('refuses %s as bad input', async (_what, options, reason) => {
    const program = startProgram('agent/main.js', ['claim', ...options], environment);
    expect(await program.ended).toEqual({ code: 2, signal: null });
    expect(program.output()).toContain(reason);
  });

  it('fails when the cloud does not answer', async () => {
    const [port] = await freePorts(1);
    const options = ['--cloud', `http://127.0.0.1:${port}`, '--code', 'abcd'];
    const program = startProgram('agent/main.js', ['claim', ...options], environment);
    expect(await program.ended).toEqual({ code: 1, signal: null });
    expect(program.output()).toContain('did not answer');
  });
});

describe('a gateway that cannot start itself anew', () => {
  it('says so and works, with a heap that stays small', async () => {
    const child = fork(MAIN, ['run'], { env: environment, execArgv: [], stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
    const printed: string[] = [];
    child.stdout?.on('data', (chunk) => printed.push(String(chunk)));
    const ended = once(child, 'close');
    try {
      await untilItAnswers();
      expect(printed.join('')).toContain('memory is limited in part only');
      expect(printed.join('')).toContain('started with a channel to its parent');
    } finally {
      child.kill('SIGTERM');
    }
    expect(await ended).toEqual([0, null]);
  });
});

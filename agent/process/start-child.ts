/** What the gateway's child processes have in common: how one is started small, and how its end and its words are heard. */
import { type ChildProcess, fork } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { Logger } from '../../shared/logger.js';

/** They handle little at a time: small heaps. */
const NODE_FLAGS = ['--max-old-space-size=64', '--max-semi-space-size=1'];
/** Of glibc: one arena more than needed, and what was big is given back at once instead of being kept for the next. */
const ENVIRONMENT = { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '131072', MALLOC_TRIM_THRESHOLD_: '131072' };

/**
 * Starts a program of ours as a child with a channel that carries bytes as they are. What it prints goes to the log.
 * @param options.name as the log names it
 */
export function startChild(program: URL, options: { name: string; args?: string[]; logger: Logger }): ChildProcess {
  const { name, args = [], logger } = options;
  const child = fork(fileURLToPath(program), args, {
    serialization: 'advanced',
    execArgv: NODE_FLAGS,
    env: ENVIRONMENT,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  forwardLines(child.stdout, (line) => logger.debug({ line }, `The ${name} printed a line`));
  forwardLines(child.stderr, (line) => logger.warn({ line }, `The ${name} complained`));
  return child;
}

/** Resolves with how the child ended, also when it could not be started; never rejects. */
export function onceExited(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.once('exit', (code, signal) => resolve(`it ended (${signal ?? `exit code ${code}`})`));
    child.once('error', (error) => {
      // Only a process that was never started has no 'exit'.
      if (child.pid === undefined) resolve(`it could not be started: ${error.message}`);
    });
  });
}

function forwardLines(stream: Readable | null, tell: (line: string) => void): void {
  if (stream !== null) createInterface({ input: stream }).on('line', tell);
}

/** Starts the gateway's child processes with small limits, logs their output, and awaits their end. */
import { type ChildProcess, fork } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { Logger } from '../../shared/logger.js';
import { CHILD_LIMITS } from './memory-limits.js';

/**
 * Starts one of our programs as a child, with a channel that carries bytes as they are. What it prints goes to the log.
 * @param options.name as the log names it
 */
export function startChild(program: URL, options: { name: string; args?: string[]; logger: Logger }): ChildProcess {
  const { name, args = [], logger } = options;
  const child = fork(fileURLToPath(program), args, {
    serialization: 'advanced',
    execArgv: [...CHILD_LIMITS.nodeOptions],
    env: { ...CHILD_LIMITS.environment },
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

function forwardLines(stream: Readable | null, log: (line: string) => void): void {
  if (stream !== null) createInterface({ input: stream }).on('line', log);
}

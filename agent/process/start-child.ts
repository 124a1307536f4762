/** Starts the gateway's child processes with small limits, logs their output, and awaits their end. */
import { type ChildProcess, fork } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { Logger } from '../../shared/logger.js';
import { CHILD_LIMITS } from './memory-limits.js';
import { errorText } from '../../shared/error-text.js';

const CONFINE = new URL('./confine.cjs', import.meta.url);

/**
 * Starts one of our programs as a child, with a channel that carries bytes as they are. Its output goes to the log.
 * @param options.name as the log names it
 * @param options.hasInput it has a standard input to which the parent writes
 * @param options.confined it needs none of the gateway's files and rights: it can open only its own program (confine.cts), and has no capabilities
 * @param options.givesWay other processes have the processor first. On a busy device the child still gets about a tenth of it
 */
export function startChild(
  program: URL,
  options: { name: string; args?: string[]; logger: Logger; hasInput?: true; confined?: true; givesWay?: true },
): ChildProcess {
  const { name, args = [], logger, hasInput, confined, givesWay } = options;
  const child = fork(fileURLToPath(program), args, {
    serialization: 'advanced',
    execArgv: [...(confined === true ? ['--require', fileURLToPath(CONFINE)] : []), ...CHILD_LIMITS.nodeOptions],
    env: { ...CHILD_LIMITS.environment },
    stdio: [hasInput === true ? 'pipe' : 'ignore', 'pipe', 'pipe', 'ipc'],
  });
  if (givesWay === true && child.pid !== undefined) lowerPriority(child.pid, logger);
  forwardLines(child.stdout, (line) => logger.debug({ line }, `the ${name} printed a line`));
  forwardLines(child.stderr, (line) => logger.warn({ line }, `the ${name} complained`));
  return child;
}

/**
 * Linux sets the priority of the main thread only, and a new thread inherits that of the thread which starts it. On a busy machine the child
 * may already have other threads, so each of them is set, too.
 */
function lowerPriority(pid: number, logger: Logger): void {
  const lower = (id: number): void => {
    try {
      setPriority(id, constants.priority.PRIORITY_BELOW_NORMAL);
    } catch (error) {
      logger.debug({ err: error }, 'a process has the priority of all others');
    }
  };
  lower(pid);
  const threads = `/proc/${pid}/task`;
  if (existsSync(threads)) for (const thread of readdirSync(threads)) lower(Number(thread));
}

/** Resolves with how the child ended, also when it could not be started; never rejects. */
export function onceExited(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.once('exit', (code, signal) => resolve(`it ended (${signal ?? `exit code ${code}`})`));
    child.once('error', (error) => {
      // Only a process that was never started has no 'exit'.
      if (child.pid === undefined) resolve(`it could not be started: ${errorText(error)}`);
    });
  });
}

function forwardLines(stream: Readable | null, log: (line: string) => void): void {
  if (stream !== null) createInterface({ input: stream }).on('line', log);
}

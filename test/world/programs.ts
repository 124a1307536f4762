import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onPostgres, postgresForSync } from './postgres-databases.js';

/** dist/, from dist/test/world/. */
const DIST = fileURLToPath(new URL('../../', import.meta.url));

/** One of the project's built programs as a child process, with what it printed kept for the failure of a test. */
export interface RunningProgram {
  readonly pid: number;
  /** Everything printed so far. */
  output(): string;
  /** Ends the program and waits for its end; the default asks it to stop. */
  end(signal?: 'SIGTERM' | 'SIGKILL'): Promise<void>;
  readonly ended: Promise<{ code: number | null; signal: string | null }>;
}

/**
 * Starts dist/`entry` with arguments, environment and flags of node. Nothing of the test's own environment but PATH and HOME reaches it, and
 * no `.env` of the repository: it works in dist/.
 * @param within a program with its words that runs it, such as `ip netns exec NAME`
 */
export function startProgram(
  entry: string,
  args: readonly string[],
  env: Record<string, string>,
  nodeFlags: readonly string[] = [],
  cwd = DIST,
  within: readonly string[] = [],
): RunningProgram {
  const [command = process.execPath, ...words] = [
    ...within,
    process.execPath,
    ...nodeFlags,
    `${DIST}${entry}`,
    ...args,
  ];
  const child: ChildProcess = spawn(command, words, {
    cwd,
    env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', ...databaseOf(entry, env), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const chunks: string[] = [];
  child.stdout?.on('data', (chunk) => chunks.push(String(chunk)));
  child.stderr?.on('data', (chunk) => chunks.push(String(chunk)));
  const ended = new Promise<{ code: number | null; signal: string | null }>((resolve) => {
    child.once('close', (code, signal) => resolve({ code, signal }));
    child.once('error', (error) => {
      chunks.push(String(error));
      resolve({ code: null, signal: null });
    });
  });
  return {
    pid: child.pid ?? 0,
    output: () => chunks.join(''),
    ended,
    async end(signal = 'SIGTERM') {
      child.kill(signal);
      await ended;
    },
  };
}

/** Where the tests are to be on PostgreSQL, a cloud gets its database there instead of a file in DATA_DIR. */
function databaseOf(entry: string, env: Record<string, string>): Record<string, string> {
  const dataDir = env['DATA_DIR'];
  if (!onPostgres() || dataDir === undefined || !/cloud|crasher|double/.test(entry)) return {};
  return { DATABASE_URL: postgresForSync(join(dataDir, 'cloud.db')) };
}

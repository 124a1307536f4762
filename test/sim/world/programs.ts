import { type ChildProcess, spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';

/** dist/, from dist/test/sim/world/. */
const DIST = fileURLToPath(new URL('../../../', import.meta.url));

/** One of the project's built programs as a child process, with what it printed kept for the failure of a test. */
export interface RunningProgram {
  readonly pid: number;
  /** Everything printed so far. */
  output(): string;
  /** Ends it and waits for its end; the default asks it to stop. */
  end(signal?: 'SIGTERM' | 'SIGKILL'): Promise<void>;
  readonly ended: Promise<{ code: number | null; signal: string | null }>;
}

/** Starts dist/`entry` with arguments, environment and flags of node; nothing of the test's own environment but PATH and HOME reaches it. */
export function startProgram(
  entry: string,
  args: readonly string[],
  env: Record<string, string>,
  nodeFlags: readonly string[] = [],
): RunningProgram {
  const child: ChildProcess = spawn(process.execPath, [...nodeFlags, `${DIST}${entry}`, ...args], {
    env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', ...env },
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

/** Ports nobody uses at this moment. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(
    Array.from({ length: count }, () => {
      const server = createServer();
      return new Promise<typeof server>((resolve, reject) => {
        server.once('error', reject);
        server.listen(0, '127.0.0.1', () => resolve(server));
      });
    }),
  );
  const ports = servers.map((server) => {
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('no port was given');
    return address.port;
  });
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

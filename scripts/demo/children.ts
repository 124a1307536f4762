import { type ChildProcess, spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { errorText } from '../../shared/error-text.js';

/** One program of the demo. */
export interface Program {
  name: string;
  /** The program to run, Node.js when left out. */
  command?: string;
  args: string[];
  env: Record<string, string>;
  /** The file that gets what the program prints. */
  logFile: string;
  /** As whom it runs, and where, if not as this process. */
  as?: { uid: number; gid: number; cwd: string };
  /** The signal that ends it at once, if SIGTERM does not. */
  stopSignal?: 'SIGINT';
  /** How long it may take to end; left out: 8 s. */
  stopWithinMs?: number;
  /** Programs of one name, started one after the other, are stopped at the same time. */
  stopsWith?: string;
}

export interface Children {
  start(program: Program): void;
  /** The process id, or null while it does not run. */
  pid(name: string): number | null;
  /** Rejects when the program ends before `isReady` holds or the limit passes. */
  waitUntil(name: string, what: string, isReady: () => Promise<boolean>, limitMs: number): Promise<void>;
  /** Ends all programs, the last started first; kills those that do not end by themselves. */
  stop(): Promise<void>;
}

const RESTART_AFTER_MS = 1_000;
const STOP_WITHIN_MS = 8_000;
const ASK_EVERY_MS = 100;

/**
 * Runs the demo's programs as systemd would (`Restart=on-failure`): a program that somebody stopped (SIGTERM, SIGINT, exit 0) stays
 * stopped, so that anyone can try life without the cloud; one that crashed or was killed is started again.
 */
export function createChildren(say: (line: string) => void): Children {
  const running = new Map<string, ChildProcess>();
  const started: Program[] = [];
  let stopping = false;

  const start = (program: Program) => {
    const log = createWriteStream(program.logFile, { flags: 'a' });
    const child = spawn(program.command ?? process.execPath, program.args, {
      ...program.as,
      env: { ...process.env, ...program.env },
      stdio: ['ignore', 'pipe', 'pipe'],
      // Each program has its own group: the terminal's Ctrl-C reaches only this process, which ends the others in order.
      detached: true,
    });
    running.set(program.name, child);
    child.stdout.pipe(log, { end: false });
    child.stderr.pipe(log, { end: false });
    child.once('error', (error) => say(`${program.name} cannot be started: ${errorText(error)}`));
    child.once('close', (code, signal) => {
      running.delete(program.name);
      log.end();
      if (stopping) return;
      if (code === 0 || signal === 'SIGTERM' || signal === 'SIGINT') {
        say(`${program.name} was stopped. Start it again: ${commandLine(program)}`);
        return;
      }
      say(`${program.name} ended (${signal ?? `exit code ${code}`}), see ${program.logFile}; starting it again`);
      setTimeout(() => {
        if (!stopping) start(program);
      }, RESTART_AFTER_MS);
    });
  };

  return {
    start(program) {
      started.push(program);
      start(program);
    },
    pid: (name) => running.get(name)?.pid ?? null,
    async waitUntil(name, what, isReady, limitMs) {
      const endMs = performance.now() + limitMs;
      while (!(await isReady())) {
        const program = started.find((entry) => entry.name === name);
        if (!running.has(name)) throw new Error(`${name} ended before ${what}; see ${program?.logFile}`);
        if (performance.now() > endMs)
          throw new Error(`${name}: ${what} took longer than ${limitMs / 1000} s; see ${program?.logFile}`);
        await new Promise((resolve) => setTimeout(resolve, ASK_EVERY_MS));
      }
    },
    async stop() {
      stopping = true;
      for (const programs of stopTogether(started)) {
        await Promise.all(
          programs.map(async (program) => {
            const child = running.get(program.name);
            if (child !== undefined) await end(child, program);
          }),
        );
      }
    },
  };
}

/** The line a person types to run the program by hand. */
function commandLine(program: Program): string {
  const env = Object.entries(program.env).map(([name, value]) => `${name}=${value}`);
  return [...env, program.command ?? 'node', ...program.args].join(' ');
}

/** In the order in which they are stopped: the last started first. */
function stopTogether(programs: readonly Program[]): Program[][] {
  const groups: Program[][] = [];
  for (const program of programs.toReversed()) {
    const last = groups.at(-1);
    if (program.stopsWith !== undefined && last?.[0]?.stopsWith === program.stopsWith) last.push(program);
    else groups.push([program]);
  }
  return groups;
}

function end(child: ChildProcess, { stopSignal, stopWithinMs }: Program): Promise<void> {
  return new Promise((resolve) => {
    const kill = setTimeout(() => child.kill('SIGKILL'), stopWithinMs ?? STOP_WITHIN_MS);
    child.once('close', () => {
      clearTimeout(kill);
      resolve();
    });
    child.kill(stopSignal ?? 'SIGTERM');
  });
}

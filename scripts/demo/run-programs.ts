/**
 * The common part of `npm start` and `scripts/cluster`: runs programs until Ctrl-C, and prints a clear line when they
 * cannot be started.
 */
import { type Children, createChildren } from './children.js';
import { FAILED, printError, WRONG_USE } from '../../shared/node/program.js';

/** It cannot be started as it was asked for: each line is a problem with what to do. */
export class UsageError extends Error {
  get problems(): string[] {
    return this.message.split('\n');
  }
}

/**
 * Starts programs, prints what `start` resolves with, and ends the programs on Ctrl-C. When `start` rejects, it ends what was started and
 * exits with 2 for a UsageError, else with 1.
 */
export async function runPrograms(name: string, start: (children: Children) => Promise<string>): Promise<void> {
  const children = createChildren((line) => console.log(line));
  let stopped: Promise<void> | null = null;
  const stop = () => (stopped ??= children.stop());
  // SIGHUP: the terminal was closed. The programs have their own groups, and would run on with nobody to stop them.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      console.log('\nStopping ...');
      void stop().then(() => {
        console.log('All stopped.');
        process.exit(0);
      });
    });
  }
  try {
    console.log(await start(children));
  } catch (error) {
    await stop();
    printError(name, error);
    process.exit(error instanceof UsageError ? WRONG_USE : FAILED);
  }
}

/** Reads the one option that both know. */
export function parseArguments(args: readonly string[]): { reset: boolean } {
  const unknown = args.filter((argument) => argument !== '--reset');
  if (unknown.length > 0) throw new UsageError(`unknown option ${unknown[0]}; known: --reset (start anew)`);
  return { reset: args.includes('--reset') };
}

export function portFromEnvironment(name: string, fallback: number): number {
  const text = process.env[name];
  if (text === undefined || text === '') return fallback;
  const port = Number(text);
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    throw new UsageError(`${name}=${text}: a port is a number from 1 to 65535`);
  return port;
}

export async function answersOk(url: string): Promise<boolean> {
  try {
    return (await fetch(url, { signal: AbortSignal.timeout(2_000) })).ok;
  } catch {
    return false;
  }
}
